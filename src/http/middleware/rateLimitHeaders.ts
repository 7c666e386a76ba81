/**
 * Tells a caller what is left of its quota, by the IETF's RateLimit and RateLimit-Policy headers
 * (docs/specification.md#limits).
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

type QuotaHeaders = Readonly<Record<string, string>>;

const NONE: QuotaHeaders = {};

/** The last ones made: requests that shared a call have the same quota, and are answered one after the other. */
let made: { readonly of: readonly Quota[]; readonly headers: QuotaHeaders } = { of: [], headers: NONE };

/** The headers; none where nothing was charged, or nothing is limited. */
export function quotaHeaders(quota: readonly Quota[] = []): QuotaHeaders {
  if (quota.length === 0) return NONE;
  if (made.of === quota) return made.headers;
  const headers = {
    'RateLimit-Policy': quota
      .map(({ limitType, limit }) => `"${limitType}";q=${limit};w=${WINDOWS_S.get(limitType) ?? 0}`)
      .join(', '),
    RateLimit: quota.map(({ limitType, remaining, resetS }) => `"${limitType}";r=${remaining};t=${resetS}`).join(', '),
  };
  made = { of: quota, headers };
  return headers;
}

const WINDOWS_S = new Map<string, number>(Object.entries(WINDOW_S));
