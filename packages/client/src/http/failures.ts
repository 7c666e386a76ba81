/**
 * The errors of exchanges: made from responses and lost connections, and what they mean for a repeat
 * (docs/specification.md#errors).
 */
import { HoldfastError, unexpected } from '../errors.ts';
import type { Failure, LimitReached } from '../types.ts';
import type { Head } from './transport.ts';

/**
 * @param response of a status that is no success
 * @param body its body as JSON: a string (400), `{error, code}`, or undefined: the page of a proxy
 */
export function errorOf({ status, headers }: Head, body: unknown): HoldfastError {
  const details = {
    status,
    retryAfterMs: retryAfterMs(headers.get('Retry-After')),
    requestId: headers.get('X-Request-Id') ?? undefined,
  };
  if (typeof body === 'string' && status >= 400)
    return new HoldfastError(headers.get('Holdfast-Error') ?? 'MALFORMED_REQUEST', body, details);
  // The service's own description of the error. Each field is checked before it is used.
  const { error, code, limitType } = (body ?? {}) as Partial<Failure & LimitReached>;
  if (typeof error === 'string' && typeof code === 'string')
    return new HoldfastError(code, error, { ...details, limitType });
  return unexpected(status === 503 ? 'UNAVAILABLE' : undefined, details);
}

/** @param timeoutMs if that is why */
export function unreachable(cause: unknown, timeoutMs?: number): HoldfastError {
  const reason = reasonOf(cause);
  // Best effort: browsers do not say it.
  if (/redirect/i.test(reason)) return new HoldfastError('UNEXPECTED_RESPONSE', 'url redirects elsewhere', { cause });
  const why = timeoutMs === undefined ? `: ${reason}` : ` within ${Math.round(timeoutMs / 100) / 10} s`;
  return new HoldfastError('UNREACHABLE', `The service could not be reached${why}`, { cause });
}

/** Returns true if a response, or a result in it, is an object with a field. */
export const hasField = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && name in value;

/** Returns true if a repeat may succeed. */
export const isRetryable = ({ code, status, retryAfterMs: after }: HoldfastError): boolean =>
  code === 'UNREACHABLE' ||
  code === 'REQUEST_RUNNING' ||
  status === 408 ||
  (status === 429 && after !== undefined) ||
  (status === 503 && code !== 'NOT_CONFIGURED') ||
  isOfProxy(status);

/** Returns true if the request may have been carried out. */
export const mayHaveRun = ({ code, status = 500 }: HoldfastError): boolean => status >= 500 && code !== 'OVERLOADED';

/** Returns true if every request of this caller gets this error. */
export const isForAll = (error: HoldfastError): boolean =>
  error.status === 401 || error.limitType === 'FailedAuthentications' || (error.status !== 429 && isRetryable(error));

/** Returns true if a quota is used up, since a request of one item was refused. */
export const isUsedUp = ({ limitType = '' }: HoldfastError): boolean => /Per(Minute|Day)$/.test(limitType);

/** A proxy lost the connection to an instance. */
const isOfProxy = (status: number | undefined): boolean => status === 502 || status === 504;

/** In ms. Undefined if the header is not there, or has a date: the service sends seconds. */
function retryAfterMs(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) * 1000 : undefined;
}

/** Runtimes say why in the cause of fetch's error, if at all. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ('code' in cause ? String(cause.code) : error.message);
}
