/**
 * What a client is told when a request fails as a whole (interface, "Errors"): a 400 is a JSON string, all else `{error}`.
 */
import type { Context, ErrorHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import { type ErrorCode, HoldfastError, LimitError } from '../domain/errors.ts';
import type { AppEnv } from './env.ts';

/** Seconds after which a client may try again when Redis is away. */
const RETRY_AFTER_S = '1';

const STATUS: Record<ErrorCode, ContentfulStatusCode> = {
  unauthenticated: 401,
  forbidden: 403,
  upgrade: 403,
  refused: 400,
  unregistered: 404,
  unknown: 404,
  limited: 429,
  unavailable: 503,
};

/** Answers anything thrown; what is not expected is logged whole, and told to nobody. */
export const onError: ErrorHandler<AppEnv> = (error, c) => {
  if (error instanceof LimitError) {
    c.header('Retry-After', String(error.hit.retryAfter));
    return c.json({ error: error.message, ...error.hit }, 429);
  }
  if (error instanceof HoldfastError) {
    const status = STATUS[error.code];
    if (status === 503) {
      c.header('Retry-After', RETRY_AFTER_S);
      c.get('log').warn({ requestId: c.get('requestId'), err: error.cause ?? error }, 'store unavailable');
    }
    if (error.code === 'upgrade') return c.json({ error: error.message, upgradeRequired: true }, status);
    return c.json(status === 400 ? error.message : { error: error.message }, status);
  }
  c.get('log').error({ requestId: c.get('requestId'), err: error }, 'request failed');
  return c.json({ error: 'Internal error.' }, 500);
};

export const onNotFound = (c: Context) => c.json({ error: 'There is nothing at this path.' }, 404);

/** `[3].ttlSeconds must be an integer greater than 0`: the first fault of a request, by item and field (decisions, section 2). */
export function describeFault(error: z.core.$ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'the request is malformed';
  const field = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return `${field.replace(/^\./, '') || 'the request body'} ${issue.message}`;
}
