/**
 * Answers requests that fail as a whole (docs/specification.md#errors): a 400 with a JSON string, and its code in the
 * header Holdfast-Error; any other status with `{error, code}`.
 */
import type { Context, ErrorHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import { type FailureCode, HoldfastError, LimitError } from '../domain/errors.ts';
import { describeFault, isUnknownField } from './describeFault.ts';
import type { AppEnv } from './env.ts';
import { FAILURES, retryAfter } from './errorStatuses.ts';
import { logFault } from './logFault.ts';

/** The header for the code of a failure whose body is a string. */
export const CODE_HEADER = 'Holdfast-Error';

/** What every 401 has to name (RFC 9110, 15.5.2): how to send a key or a token. */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

/** Answers with a failure other than a 400. */
export const fail = (
  c: Context,
  status: ContentfulStatusCode,
  code: FailureCode,
  error: string,
  headers?: Record<string, string>,
) => c.json({ error, code }, status, status === 401 ? CHALLENGE : headers);

/** Answers with a 400. */
export const refuse = (c: Context, message: string, code: FailureCode = 'MALFORMED_REQUEST') =>
  c.json(message, 400, { [CODE_HEADER]: code });

/** Answers a request that does not fit its schema. */
export const refuseMalformed = (c: Context, error: z.core.$ZodError) =>
  refuse(c, describeFault(error), error.issues.some(isUnknownField) ? 'UNKNOWN_FIELD' : 'MALFORMED_REQUEST');

/** Answers any error. An unexpected one is logged with its details, and its message is not sent to the caller. */
export const onError: ErrorHandler<AppEnv> = (error, c) => {
  if (error instanceof LimitError) {
    return c.json({ error: error.message, code: 'LIMIT_REACHED', ...error.hit }, 429, retryAfter(error));
  }
  if (error instanceof HoldfastError) {
    const { status, code } = FAILURES[error.code];
    if (error.code === 'upgrade') return c.json({ error: error.message, code, upgradeRequired: true }, status);
    return status === 400 ? refuse(c, error.message, code) : fail(c, status, code, error.message, retryAfter(error));
  }
  logFault(c, error, 'request failed');
  return fail(c, 500, 'INTERNAL', 'Internal error.');
};
