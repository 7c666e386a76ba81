/**
 * The status of each error, for the API and for pages; and the code by which API callers tell failures apart.
 */
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type ErrorCode, type FailureCode, HoldfastError, LimitError } from '../domain/errors.ts';

export interface Failure {
  readonly status: ContentfulStatusCode;
  readonly code: FailureCode;
}

export const FAILURES: Readonly<Record<ErrorCode, Failure>> = {
  unauthenticated: { status: 401, code: 'UNAUTHENTICATED' },
  forbidden: { status: 403, code: 'FORBIDDEN' },
  upgrade: { status: 403, code: 'UPGRADE_REQUIRED' },
  refused: { status: 400, code: 'REFUSED' },
  unregistered: { status: 404, code: 'NOT_REGISTERED' },
  unknown: { status: 404, code: 'NOT_FOUND' },
  mismatch: { status: 409, code: 'IDEMPOTENCY_MISMATCH' },
  running: { status: 409, code: 'REQUEST_RUNNING' },
  notKept: { status: 409, code: 'RESPONSE_NOT_KEPT' },
  limited: { status: 429, code: 'LIMIT_REACHED' },
  overloaded: { status: 503, code: 'OVERLOADED' },
  unavailable: { status: 503, code: 'UNAVAILABLE' },
};

/** Seconds after which a client may retry when a store is unreachable or the instance has too much to do. */
const RETRY_AFTER_S = 1;

/** Returns the header that says when to retry after an error; none if a retry would not help. */
export function retryAfter(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof LimitError) return { 'Retry-After': String(error.hit.retryAfter) };
  const isTemporary =
    error instanceof HoldfastError && (error.code === 'running' || FAILURES[error.code].status === 503);
  return isTemporary ? { 'Retry-After': String(RETRY_AFTER_S) } : {};
}
