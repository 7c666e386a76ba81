/**
 * Answers requests that fail as a whole (docs/specification.md#errors): a 400 with a JSON string, and its code in the
 * header Holdfast-Error; any other status with `{error, code}`.
 */

import type { ErrorHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { type ErrorCode, type FailureCode, HoldfastError, LimitError } from '../domain/errors.ts';
import { framesOf } from '../telemetry/log.ts';
import { json, type Reply } from './call/reply.ts';
import { type Fields, requestIdOf } from './call/requestId.ts';
import type { AppEnv } from './deps.ts';

/** The status of an error, for the API and for pages, and the code by which API callers tell failures apart. */
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

const isUnknownField = ({ code }: z.core.$ZodIssue) => code === 'unrecognized_keys';

/**
 * Names the first fault of a request by item and field: `[3].ttlSeconds must be an integer greater than 0`. An unknown
 * field comes before any other fault, since it is often the reason why another field is missing.
 */
export function describeFault({ issues }: z.core.$ZodError): string {
  const issue = issues.find(isUnknownField) ?? issues[0];
  if (issue === undefined) return 'the request is malformed';
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  const field = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${shorten(String(key))}`)).join('');
  return `${field.replace(/^\./, '') || 'the request body'} ${issue.message}`;
}

const MAX_FIELD_LENGTH = 64;

/** The start of a caller's field name, long enough to find it. */
const shorten = (field: string) => (field.length > MAX_FIELD_LENGTH ? `${field.slice(0, MAX_FIELD_LENGTH)}…` : field);

/** The header for the code of a failure whose body is a string. */
export const CODE_HEADER = 'Holdfast-Error';

/** The header of every 401 (RFC 9110, 15.5.2): how to send a key or a token. */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

/** A request that HTTP refuses before an operation begins. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: FailureCode;
  readonly headers: Fields;

  constructor(status: ContentfulStatusCode, code: FailureCode, message: string, headers: Fields = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** A request that is malformed in another way than its schema says. */
export const malformed = (message: string) => new Refusal(400, 'MALFORMED_REQUEST', message);

/** A request that does not fit its schema. */
export const misfit = (error: z.core.$ZodError) =>
  new Refusal(400, error.issues.some(isUnknownField) ? 'UNKNOWN_FIELD' : 'MALFORMED_REQUEST', describeFault(error));

const failure = (status: number, code: FailureCode, error: string, headers?: Fields): Reply =>
  status === 400
    ? json(error, status, { [CODE_HEADER]: code })
    : json({ error, code }, status, status === 401 ? CHALLENGE : headers);

/** The request that an error belongs to. */
interface Faulty {
  readonly log: Logger;
  readonly requestId: string;
}

/** Logs an unexpected error, with the lines of code that it comes from. Its caller learns nothing of these. */
export function logFault({ log, requestId }: Faulty, error: unknown, what: string): void {
  log.error({ requestId, err: error, stack: framesOf(error) }, what);
}

/** Makes the reply to any error. An unexpected one is logged with its details, and its message is not sent. */
export function failureOf(error: unknown, call: Faulty): Reply {
  if (error instanceof Refusal) return failure(error.status, error.code, error.message, error.headers);
  if (error instanceof LimitError) {
    const { message, hit } = error;
    return json({ error: message, code: 'LIMIT_REACHED', ...hit }, 429, retryAfter(error));
  }
  if (error instanceof HoldfastError) {
    const { status, code } = FAILURES[error.code];
    if (error.code === 'upgrade') return json({ error: error.message, code, upgradeRequired: true }, status);
    return failure(status, code, error.message, retryAfter(error));
  }
  logFault(call, error, 'request failed');
  return failure(500, 'INTERNAL', 'Internal error.');
}

/** Answers errors that no handler has answered: of middleware, or faults of this folder. */
export const onError =
  (log: Logger): ErrorHandler<AppEnv> =>
  (error, c) => {
    // Both are set for pages only.
    const { requestId = requestIdOf(c.env.incoming), log: own = log }: Partial<Faulty> = c.var;
    const { status, body, headers } = failureOf(error, { log: own, requestId });
    return new Response(body, { status, headers: { 'Content-Type': 'application/json', ...headers } });
  };
