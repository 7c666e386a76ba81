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
  limited: { status: 429, code: 'LIMIT_REACHED' },
  unavailable: { status: 503, code: 'UNAVAILABLE' },
};

/** Seconds after which a client may retry when a store is unreachable. */
const RETRY_AFTER_S = 1;

/** Returns the header that says when to retry after an error; none if a retry would not help. */
export function retryAfter(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof LimitError) return { 'Retry-After': String(error.hit.retryAfter) };
  const isUnavailable = error instanceof HoldfastError && error.code === 'unavailable';
  return isUnavailable ? { 'Retry-After': String(RETRY_AFTER_S) } : {};
}
