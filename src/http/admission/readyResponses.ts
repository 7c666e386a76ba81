/**
 * Responses to requests that are refused before the application sees them. They are made once.
 */
import type { ServerResponse } from 'node:http';
import type { FailureCode } from '../../domain/errors.ts';
import { CODE_HEADER } from '../errors.ts';

/** A response that is made once. A list of headers costs Node less than an object. */
export interface ReadyResponse {
  readonly status: number;
  readonly headers: string[];
  readonly body: string;
}

function failure(status: number, code: FailureCode, text: string, ...headers: string[]): ReadyResponse {
  const body = JSON.stringify(status === 400 ? text : { error: text, code });
  const length = String(Buffer.byteLength(body));
  const common = ['Content-Type', 'application/json', 'Content-Length', length, 'Cache-Control', 'no-store'];
  return { status, headers: [...common, 'X-Content-Type-Options', 'nosniff', ...headers], body };
}

/** Messages that other parts of http use too. */
export const OVERLOADED = 'This instance has more to do than it can. Nothing was done: repeat the call.';
export const BODY_TIMEOUT = 'The request body did not arrive in time.';
export const bodyTooLarge = (maxBytes: number) => `The request body is larger than ${maxBytes} bytes.`;

export const REFUSED = failure(503, 'OVERLOADED', OVERLOADED, 'Retry-After', '1');
export const STALLED = failure(408, 'BODY_TIMEOUT', BODY_TIMEOUT, 'Connection', 'close');
export const NO_HOST = failure(
  400,
  'INVALID_HOST',
  'the request must have one Host header, with a valid host',
  CODE_HEADER,
  'INVALID_HOST',
);

/** Sends a ready response, with no date and no X-Request-Id: refusing must cost as little as possible. */
export function send(response: ServerResponse, { status, headers, body }: ReadyResponse): void {
  response.sendDate = false;
  // Node reads and drops the rest of the body, so the connection can be used again unless it is closed.
  response.writeHead(status, headers).end(body);
}
