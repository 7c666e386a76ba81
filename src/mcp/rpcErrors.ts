/**
 * Turns failures of whole requests into errors of JSON-RPC, with the status and the headers that they have
 * (docs/specification.md#mcp). Tools say what failed in their results instead.
 */
import { z } from 'zod';
import { Failure } from '../contract/errors.ts';
import type { Reply } from '../http/call/reply.ts';
import { CODE_HEADER } from '../http/errors.ts';

/** The codes of JSON-RPC for requests that hold no message, and for all else that fails before one is looked at. */
const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

const Body = z.union([Failure.loose(), z.string()]);

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
