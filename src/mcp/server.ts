/**
 * Answers one message of the Model Context Protocol by the official SDK, without any state (docs/specification.md#mcp):
 * each request has a server of its own. This file is loaded at the first message: the SDK takes 10 MiB.
 */
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type jsonSchemaValidator,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Rules } from '../contract/fields.ts';
import type { CallResult, Tool, Toolbox } from './tool.ts';
import { book, cancelBooking, listBookingsTool } from './tools/bookings.ts';
import { cancel, release, renew } from './tools/holding.ts';
import { check, listReservationsTool, listResources, whoIsWaiting } from './tools/looking.ts';
import { reserve } from './tools/reserve.ts';
import { register, setCondition } from './tools/resources.ts';

const IDENTITY = { name: 'holdfast', title: 'Holdfast', version: '1' };

const INSTRUCTIONS = `Holdfast reserves shared resources (ports, browsers, staging systems, migrations) so that no two agents use one at the same time.
1. Before you use a shared resource, call reserve. Use it only if the status is ACQUIRED, or ALREADY_HAD and you reserved it before.
2. If the status is WAITING, call reserve again with the same arguments until it changes.
3. Keep the releaseToken. Call renew before the lease ends, and release as soon as you are done, also when your task failed.
4. Send the same requester in all your calls, or none if your calls need none.
5. If you are a subagent, or start some: each sends a requester of its own in all its calls, such as "claude-code-7kq2mw9dfx-tests". Agents with one requester do not exclude each other. ALREADY_HAD without an earlier reserve of your own means that another agent of your session holds it: do not use it.
6. If you need several resources at once, name them all in one reserve, as resources: a caller that holds one and waits for another may wait for ever.`;

/** The SDK would make a validator for each server. It validates only what servers ask of clients: nothing here. */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not supported' }),
};

function makeServer({ shown, call }: Toolbox): Server {
  const options = { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATOR };
  const server = new Server(IDENTITY, options);
  server.setRequestHandler('tools/list', () => ({ tools: shown() }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }): Promise<CallResult> => {
    const result = await call(name, args);
    if (result !== null) return result;
    const names = shown().map((tool) => tool.name);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such tool. There are ${names.join(', ')}.`);
  });
  return server;
}

const Initialize = z.object({ method: z.literal('initialize'), id: z.union([z.string(), z.number()]) });

/** Refuses an initialize that lacks its parameters: the SDK would answer with an internal error, and its own text. */
function refuseInitialize(message: unknown): Response | null {
  const { data } = Initialize.safeParse(message);
  if (data === undefined || isInitializeRequest(message)) return null;
  const error = {
    code: ProtocolErrorCode.InvalidParams,
    message: 'params must have protocolVersion, capabilities, and clientInfo with name and version.',
  };
  return Response.json({ jsonrpc: '2.0', id: data.id, error }, { status: 400 });
}

/**
 * @param head the request without its body
 * @param message its body, as JSON
 */
export async function answer(head: Request, message: unknown, tools: Toolbox): Promise<Response> {
  const options = { parsedBody: message };
  if (!(await isLegacyRequest(head, message))) {
    // There is nothing to subscribe to.
    const handler = createMcpHandler(() => makeServer(tools), { legacy: 'reject', maxSubscriptions: 0 });
    return handler.fetch(head, options);
  }
  const refused = refuseInitialize(message);
  if (refused !== null) return refused;
  const server = makeServer(tools);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(head, options);
  } finally {
    await server.close();
  }
}

/** Makes the tools of an instance. */
export const makeTools = (rules: Rules): readonly Tool[] =>
  [
    reserve,
    release,
    renew,
    check,
    listReservationsTool,
    listResources,
    whoIsWaiting,
    listBookingsTool,
    cancel,
    register,
    book,
    cancelBooking,
    setCondition,
  ].map((make) => make(rules));
