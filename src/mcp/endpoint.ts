/**
 * POST /mcp: the Model Context Protocol over Streamable HTTP, for programs that are agents (docs/specification.md#mcp).
 * Any instance answers any message.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import { requesterName } from '../contract/fields.ts';
import { withRules } from '../contract/sizes.ts';
import { HoldfastError } from '../domain/errors.ts';
import { onFirstUse } from '../domain/firstUse.ts';
import { DEFAULT_POLL_SECONDS } from '../domain/waiting.ts';
import { verifyCredential } from '../engine/tenant/verifyCredential.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { AppEnv } from '../http/env.ts';
import { holdOf } from '../http/hold.ts';
import { identifyCallers } from '../http/middleware/identifyCallers.ts';
import { jsonBody } from '../http/middleware/jsonBody.ts';
import { rateLimitHeaders } from '../http/middleware/rateLimitHeaders.ts';
import { chargeRead } from '../operations/read.ts';
import type { SignedInDeps } from '../operations/signedIn.ts';
import { Message } from './env.ts';
import { checkSession, newRequester, Requester, SESSION_HEADER } from './requester.ts';
import { rpcErrors } from './rpcErrors.ts';
import type { ToolCall } from './tool.ts';
import { makeToolbox } from './toolbox.ts';

export const MCP_PATH = '/mcp';

type Deps = HttpDeps & SignedInDeps & { readonly publicUrl?: string | undefined };

/** Hosts of pages that may send requests, if no public address is configured. */
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses requests of web pages of other sites, which could reach a service on the user's own machine by a DNS name
 * that they point at it. The protocol demands this. Other programs send no Origin.
 * @throws HoldfastError forbidden
 */
const refuseForeignPages = (publicUrl: string | undefined) => {
  const ownHost = publicUrl === undefined ? null : new URL(publicUrl).hostname;
  return createMiddleware<AppEnv>(async (c, next) => {
    const origin = c.req.header('Origin');
    if (origin !== undefined) {
      const host = URL.canParse(origin) ? new URL(origin).hostname : '';
      if (host !== ownHost && !LOCAL.has(host))
        throw new HoldfastError('forbidden', 'This request comes from the page of another site.');
    }
    await next();
  });
};

/** @throws HoldfastError forbidden for sign-in sessions and management tokens */
const onlyKeys = createMiddleware<AppEnv>(async (c, next) => {
  const { kind } = c.get('credential');
  if (kind !== 'key' && kind !== 'token') throw new HoldfastError('forbidden', 'This takes an API key.');
  await next();
});

/** The SDK and the tools, which are loaded at the first message. */
async function load(deps: Deps) {
  const [{ answer }, { makeTools }] = await Promise.all([import('./server.ts'), import('./tools/index.ts')]);
  return { answer, tools: makeTools(deps) };
}

export function mcpRoute(deps: Deps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  const name = withRules(requesterName, deps);
  const loaded = onFirstUse(() => load(deps));
  app.use(MCP_PATH, rpcErrors, refuseForeignPages(deps.publicUrl), rateLimitHeaders, identifyCallers(deps), onlyKeys);
  const takeBody = jsonBody(Message, deps.sizes, false, (_, message) => message);
  app.post(MCP_PATH, takeBody, async (c) => {
    const { answer, tools } = await loaded();
    const { credential, body: message } = c.var;
    const requester = new Requester(message, checkSession(c.req.header(SESSION_HEADER), name), credential);
    const { rights } = await verifyCredential(deps.engine, credential);
    // Calls of tools are charged by what they do.
    if (message.method !== 'tools/call') c.set('quota', await chargeRead(deps, credential, null));
    const call: ToolCall = { deps, credential, requester, hold: holdOf(c.env, DEFAULT_POLL_SECONDS) };
    const head = new Request(c.req.url, { method: 'POST', headers: c.req.raw.headers });
    const response = await answer(head, message, makeToolbox(c, tools, rights, call));
    if (message.method === 'initialize' && response.ok) response.headers.set(SESSION_HEADER, newRequester(message));
    return response;
  });
  return app;
}
