/**
 * What a caller is told when a request fails as a whole (docs/specification.md#errors): a 400 is a JSON string, with
 * its code in the header Holdfast-Error; anything else is `{error, code}`.
 */
import type { Context, ErrorHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import { type ErrorCode, type FailureCode, HoldfastError, LimitError } from '../domain/errors.ts';
import type { AppEnv } from './env.ts';

/** Carries the code where the body has no place for it. */
export const CODE_HEADER = 'Holdfast-Error';

/** Seconds after which a client may try again when Redis is away. */
const RETRY_AFTER_S = '1';

const FAILURES: Record<ErrorCode, readonly [ContentfulStatusCode, FailureCode]> = {
  unauthenticated: [401, 'UNAUTHENTICATED'],
  forbidden: [403, 'FORBIDDEN'],
  upgrade: [403, 'UPGRADE_REQUIRED'],
  refused: [400, 'REFUSED'],
  unregistered: [404, 'NOT_REGISTERED'],
  unknown: [404, 'NOT_FOUND'],
  limited: [429, 'LIMIT_REACHED'],
  unavailable: [503, 'UNAVAILABLE'],
};

/** Answers with a failure other than a 400. */
export const fail = (
  c: Context,
  status: ContentfulStatusCode,
  code: FailureCode,
  error: string,
  headers?: Record<string, string>,
) => c.json({ error, code }, status, headers);

/** Answers with a 400. */
export const refuse = (c: Context, message: string, code: FailureCode = 'MALFORMED_REQUEST') =>
  c.json(message, 400, { [CODE_HEADER]: code });

/** Answers a request that its schema does not fit. */
export const refuseMalformed = (c: Context, error: z.core.$ZodError) =>
  refuse(c, describeFault(error), error.issues.some(isUnknownField) ? 'UNKNOWN_FIELD' : 'MALFORMED_REQUEST');

/** Answers anything thrown; what is not expected is logged whole, and told to nobody. */
export const onError: ErrorHandler<AppEnv> = (error, c) => {
  if (error instanceof LimitError) {
    c.header('Retry-After', String(error.hit.retryAfter));
    return c.json({ error: error.message, code: 'LIMIT_REACHED', ...error.hit }, 429);
  }
  if (error instanceof HoldfastError) {
    const [status, code] = FAILURES[error.code];
    if (status === 503) {
      c.header('Retry-After', RETRY_AFTER_S);
      c.get('log').warn({ requestId: c.get('requestId'), err: error.cause ?? error }, 'store unavailable');
    }
    if (error.code === 'upgrade') return c.json({ error: error.message, code, upgradeRequired: true }, status);
    return status === 400 ? refuse(c, error.message, code) : fail(c, status, code, error.message);
  }
  c.get('log').error({ requestId: c.get('requestId'), err: error }, 'request failed');
  return fail(c, 500, 'INTERNAL', 'Internal error.');
};

const isUnknownField = ({ code }: z.core.$ZodIssue) => code === 'unrecognized_keys';

/**
 * Names the first fault of a request by item and field: `[3].ttlSeconds must be an integer greater than 0`. A field
 * that is not known comes before anything else: it is often the reason why another is missing.
 */
function describeFault({ issues }: z.core.$ZodError): string {
  const issue = issues.find(isUnknownField) ?? issues[0];
  if (issue === undefined) return 'the request is malformed';
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  const field = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${shorten(String(key))}`)).join('');
  return `${field.replace(/^\./, '') || 'the request body'} ${issue.message}`;
}

const MOST_SHOWN = 64;

/** A caller's field, as much of it as helps to find it. */
const shorten = (field: string) => (field.length > MOST_SHOWN ? `${field.slice(0, MOST_SHOWN)}…` : field);
