/**
 * Tells a caller what is left of its quota, by the IETF's RateLimit and RateLimit-Policy headers (decisions, section 8).
 */
import { createMiddleware } from 'hono/factory';
import { type Quota, WINDOW_S } from '../../domain/limits.ts';
import type { AppEnv } from '../env.ts';

export const rateLimitHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { outgoing } = c.env;
  if (outgoing.headersSent) return; // a stream, which has told them itself
  const headers = quotaHeaders(c.get('credential')?.quota);
  for (const name in headers) outgoing.setHeader(name, headers[name] ?? '');
});

/** The headers; none where nothing was charged, or nothing is limited. */
export function quotaHeaders(quota: readonly Quota[] = []): Record<string, string> {
  if (quota.length === 0) return {};
  const windowOf = (limitType: string) => Object.entries(WINDOW_S).find(([name]) => name === limitType)?.[1] ?? 0;
  return {
    'RateLimit-Policy': quota
      .map(({ limitType, limit }) => `"${limitType}";q=${limit};w=${windowOf(limitType)}`)
      .join(', '),
    RateLimit: quota.map(({ limitType, remaining, resetS }) => `"${limitType}";r=${remaining};t=${resetS}`).join(', '),
  };
}
