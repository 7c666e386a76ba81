/**
 * Writes the caller's remaining quota as the IETF's RateLimit and RateLimit-Policy headers
 * (docs/specification.md#limits).
 */
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import { type Quota, WINDOW_S } from '../../domain/quota.ts';
import type { AppEnv } from '../env.ts';

export const rateLimitHeaders = createMiddleware<AppEnv>((c, next) =>
  // No async function: its frame would take more of a call that is held.
  next().then(() => {
    const { outgoing } = c.env;
    if (outgoing.headersSent) return; // a stream, which wrote them itself
    const quota = c.error instanceof HoldfastError && c.error.quota.length > 0 ? c.error.quota : c.get('quota');
    const headers = quotaHeaders(quota);
    for (const name in headers) outgoing.setHeader(name, headers[name] ?? '');
  }),
);

type QuotaHeaders = Readonly<Record<string, string>>;

const NONE: QuotaHeaders = {};

/** The last headers made: requests that shared a call have the same quota, and are answered one after the other. */
let made: { readonly of: readonly Quota[]; readonly headers: QuotaHeaders } = { of: [], headers: NONE };

/** Makes the headers; none if nothing was charged or nothing is limited. */
export function quotaHeaders(quota: readonly Quota[] = []): QuotaHeaders {
  if (quota.length === 0) return NONE;
  if (made.of === quota) return made.headers;
  const headers = {
    'RateLimit-Policy': quota
      .map(({ limitType, limit }) => `"${limitType}";q=${limit};w=${WINDOW_S[limitType]}`)
      .join(', '),
    RateLimit: quota.map(({ limitType, remaining, resetS }) => `"${limitType}";r=${remaining};t=${resetS}`).join(', '),
  };
  made = { of: quota, headers };
  return headers;
}
