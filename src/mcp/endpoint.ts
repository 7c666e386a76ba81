/**
 * POST /mcp: the Model Context Protocol over Streamable HTTP, for programs that are agents (docs/specification.md#mcp).
 * Any instance answers any message.
 */
import { z } from 'zod';
import { requesterName } from '../contract/fields.ts';
import { HoldfastError } from '../domain/errors.ts';
import { onFirstUse } from '../domain/firstUse.ts';
import { DEFAULT_POLL_SECONDS } from '../domain/waiting.ts';
import { verifyCredential } from '../engine/tenant/credentials.ts';
import { takeBody } from '../http/call/body.ts';
import type { Call } from '../http/call/call.ts';
import { checkCaller, identify } from '../http/call/callers.ts';
import { handle } from '../http/call/handle.ts';
import { pollingFor } from '../http/call/longPoll.ts';
import { asIs, type Reply } from '../http/call/reply.ts';
import type { Route, RouteDeps } from '../http/call/route.ts';
import type { HttpDeps } from '../http/deps.ts';
import { Refusal } from '../http/errors.ts';
import { chargeRead } from '../operations/charging.ts';
import { rpcErrors } from './failures.ts';
import { checkSession, newRequester, Requester, SESSION_HEADER } from './requester.ts';
import { makeToolbox, type ToolCall } from './tool.ts';

const MCP_PATH = '/mcp';

type Deps = HttpDeps & RouteDeps & { readonly publicUrl?: string | undefined };

/** One message of JSON-RPC. The SDK checks the rest. */
const Message = z.looseObject({ method: z.string().optional() }, 'must be one message of JSON-RPC');
type McpCall = Call<z.output<typeof Message>>;

/** Hosts of pages that may send requests, if no public address is configured. */
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses requests of web pages of other sites, which could reach a service on the user's own machine by a DNS name
 * that they point at it. The protocol demands this. Other programs send no Origin.
 * @throws HoldfastError forbidden
 */
function refuseForeignPages(ownHost: string | null, call: McpCall): undefined {
  const { origin } = call.incoming.headers;
  if (origin === undefined) return;
  const host = URL.canParse(origin) ? new URL(origin).hostname : '';
  if (host !== ownHost && !LOCAL.has(host))
    throw new HoldfastError('forbidden', 'This request comes from the page of another site.');
}

/** @throws HoldfastError forbidden for sign-in sessions and management tokens; Refusal of another method than POST */
function onlyKeys({ credential: { kind }, method }: McpCall): undefined {
  if (kind !== 'key' && kind !== 'token') throw new HoldfastError('forbidden', 'This takes an API key.');
  if (method !== 'POST')
    throw new Refusal(405, 'METHOD_NOT_ALLOWED', 'This method is not allowed here.', { Allow: 'POST' });
}

/** The SDK and the tools, which are loaded at the first message. */
async function load(deps: Deps) {
  const [{ answer }, { makeTools }] = await Promise.all([import('./server.ts'), import('./server.ts')]);
  return { answer, tools: makeTools(deps) };
}

export function mcpRoute(deps: Deps): Route {
  const loaded = onFirstUse(() => load(deps));
  const ownHost = deps.publicUrl === undefined ? null : new URL(deps.publicUrl).hostname;
  const rules = { schema: Message, sizes: deps.sizes, fillRequester: (_: string, message: unknown) => message };

  const run = async (call: McpCall): Promise<Reply> => {
    const { answer, tools } = await loaded();
    const { credential, body: message, c } = call;
    const requester = new Requester(message, checkSession(c.req.header(SESSION_HEADER), requesterName), credential);
    const { rights } = await verifyCredential(deps.engine, credential);
    // Calls of tools are charged as the operations that they call.
    if (message.method !== 'tools/call') call.quota = await chargeRead(deps, credential, null);
    const toolCall: ToolCall = { deps, credential, requester, polling: pollingFor(call, DEFAULT_POLL_SECONDS) };
    const head = new Request(c.req.url, { method: 'POST', headers: c.req.raw.headers });
    const response = await answer(head, message, makeToolbox(call, tools, rights, toolCall));
    if (message.method === 'initialize' && response.ok) response.headers.set(SESSION_HEADER, newRequester(message));
    return replyOf(response);
  };

  return {
    method: 'all',
    path: MCP_PATH,
    handler: (routeDeps) =>
      handle(routeDeps, {
        path: MCP_PATH,
        steps: [
          (call) => refuseForeignPages(ownHost, call),
          (call) => identify(routeDeps, call),
          onlyKeys,
          (call) => takeBody(rules, call),
        ],
        run,
        reply: asIs,
        check: (call, status) => checkCaller(routeDeps, call, status),
        rewrite: rpcErrors,
      }),
  };
}

async function replyOf(response: Response): Promise<Reply> {
  const { status, body } = response;
  const { 'content-type': type, ...others } = Object.fromEntries(response.headers);
  const headers = type === undefined ? others : { ...others, 'Content-Type': type };
  const isStream = type?.startsWith('text/event-stream');
  return { status, body: isStream ? body : (await response.text()) || null, headers };
}
