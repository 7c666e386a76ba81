/**
 * Says to a model why a call failed, and what to do next (docs/specification.md#tools). Nothing but what the API says
 * too: no stack, key or token.
 */

import { z } from 'zod';
import { Failure } from '../contract/errors.ts';
import { type ErrorCode, HoldfastError, LimitError } from '../domain/errors.ts';
import { KEY_PERMISSIONS, RIGHTS_OF_KEY, type Right } from '../domain/rights.ts';
import type { Reply } from '../http/call/reply.ts';
import { CODE_HEADER } from '../http/errors.ts';
import { sentence } from './words.ts';

/** A call that cannot be carried out as it is. The message is for the model. */
export class ToolError extends Error {}

const SAFE = 'Repeating the same call is safe.';
const ASK = 'Do not repeat the call: tell the person you work for.';

const ADVICE: Readonly<Record<ErrorCode, string>> = {
  unauthenticated: `The API key of this connection is not valid any more. ${ASK}`,
  forbidden: ASK,
  upgrade: ASK,
  refused: 'Nothing was done. Correct the arguments and call again.',
  unregistered: 'list_resources shows the registered resources.',
  unknown: 'Nothing was done.',
  limited: '',
  mismatch: 'Nothing was done.',
  running: SAFE,
  notKept: 'Nothing was done.',
  overloaded: `Call again in a second. ${SAFE}`,
  unavailable: `The call may or may not have been carried out. Call again in a second. ${SAFE}`,
};

/** The place of the only item of a request in a message of the API: the tool takes that item alone. */
const PLACE = /^\[0\]\.?/;

/** @returns the text for the model; null: the error is a fault of the service */
export function adviceOf(error: unknown): string | null {
  if (error instanceof ToolError) return error.message;
  if (error instanceof LimitError) return `${error.message} ${afterLimit(error)}`;
  if (!(error instanceof HoldfastError)) return null;
  const text = error.message.replace(PLACE, '');
  return `${sentence(text)} ${ADVICE[error.code]}`.trimEnd();
}

function afterLimit({ hit: { limitType, retryAfter, upgradeRequired } }: LimitError): string {
  const next =
    limitType === 'ConcurrentReservations'
      ? 'Nothing was done. Release what you do not need any more, or call again later.'
      : `Nothing was done. Call again in ${retryAfter} s.`;
  return upgradeRequired ? `${next} A higher tier would allow more.` : next;
}

/** Says which API key a tool needs. */
export function needsRight(tool: string, right: Right): string {
  const permissions = KEY_PERMISSIONS.filter((one) => RIGHTS_OF_KEY[one].includes(right));
  const which = permissions.map((one) => `"${one}"`).join(' or ');
  return `${tool} needs an API key with the permission ${which}, which this connection does not have. Nothing was done. ${ASK}`;
}

/** The codes of JSON-RPC for requests that hold no message, and for all else that fails before one is looked at. */
const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

const Body = z.union([Failure.loose(), z.string()]);

/**
 * Turns failures of whole requests into errors of JSON-RPC, with the status and the headers that they have
 * (docs/specification.md#mcp). Tools say what failed in their results instead.
 */
export function rpcErrors(reply: Reply): Reply {
  const { status, body: text, headers } = reply;
  if (status < 400) return reply;
  const { data: body } = Body.safeParse(JSON.parse(typeof text === 'string' ? text : 'null'));
  if (body === undefined) return reply; // the protocol's own error
  const isMalformed = typeof body === 'string';
  const message = isMalformed ? body : body.error;
  const data = isMalformed ? { code: headers[CODE_HEADER] } : { ...body, error: undefined };
  const error = { code: isMalformed ? PARSE_ERROR : SERVER_ERROR, message, data };
  return { ...reply, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) };
}
