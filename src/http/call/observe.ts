/**
 * Logs one line for each request that failed, was refused or was slow, or for all: id, tenant, path, status and
 * duration, and why the store was away; never a key, token, body or query. The others and probes are logged at level
 * debug. Measures the time of requests by the pattern of their route, counts those that a limit refused, and records a
 * span for each. A long poll counts with the time until its response is held: how long it waits for its turn says
 * nothing about the service.
 */
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { HoldfastError, LimitError } from '../../domain/errors.ts';
import type { Credential } from '../../domain/tenants.ts';
import { isLockedOut } from '../../limits/failedAuthentications.ts';
import type { Traces } from '../../telemetry/traces.ts';
import type { AppEnv, HealthDeps } from '../deps.ts';
import { Call } from './call.ts';
import { headersOf } from './reply.ts';

export type ObserveDeps = Pick<HealthDeps, 'log' | 'logRequests' | 'metrics' | 'traces'>;

const PROBES = ['/healthz', '/readyz'];
/** From then on a request is slow, unless it was a long poll. */
const SLOW_MS = 1000;

/** Why what a request needs was away, in words for operators. */
const whyUnavailable = (error: unknown) =>
  error instanceof HoldfastError && error.code === 'unavailable' ? { err: error.cause ?? error } : undefined;

/** Counts and logs a request that has its response. */
export function observe({ logRequests, metrics }: ObserveDeps, call: Call, status: number): void {
  const { method, path, route, requestId, error, startMs } = call;
  const { heldSinceMs } = call.incoming;
  const ms = performance.now() - startMs;
  metrics?.countRequest(method, route, status, heldSinceMs === undefined ? ms : heldSinceMs - startMs);
  if (error instanceof LimitError) metrics?.countRefusal(error.hit.limitType);
  const isNotable = logRequests === 'all' || status >= 400 || (ms > SLOW_MS && heldSinceMs === undefined);
  const level = isNotable && !PROBES.includes(path) ? 'info' : 'debug';
  if (!call.log.isLevelEnabled(level)) return;
  // A caller who was refused unseen may have made the tenant up.
  const tenant = isLockedOut(error) ? undefined : call.tenant;
  // The links of invitations and wallboards are secrets, also with something wrong before them.
  const logged = path.replace(/(\/join\/|\/dashboard\/+tv\/)[^/]+/gi, '$1…');
  const durationMs = Math.round(ms * 100) / 100;
  const fields = { requestId, tenant, method, path: logged, status, durationMs };
  call.log[level]({ ...fields, ...whyUnavailable(error) }, 'request');
}

/**
 * Serves a request in a span, a child of the caller's traceparent. The span has the id of the request, and the lines of
 * its log have the id of the trace, so that each leads to the other.
 * @returns what `serve` returns
 */
export function traced<Answer extends { readonly status: number }>(
  traces: Traces,
  call: Call,
  serve: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const { traceparent, tracestate } = call.incoming.headers;
  const carrier = { traceparent: traceparent?.toString(), tracestate: tracestate?.toString() };
  return traces.traceRequest(call, carrier, async (traceId) => {
    if (traceId !== null) call.log = call.log.child({ traceId });
    const answer = await serve();
    const { status } = answer;
    // A caller who was not authenticated may have made the tenant up.
    const isUnknown = status === 401 || isLockedOut(call.error);
    return { answer, served: { route: call.route, status, tenant: isUnknown ? undefined : call.tenant } };
  });
}

/** Observes requests for pages, which have middleware. Sets `requestId` and `log`. */
export const observePages = (deps: ObserveDeps) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const call = new Call(c, '/*', deps.log);
    for (const [name, value] of Object.entries(headersOf(call))) c.env.outgoing.setHeader(name, value);
    c.set('requestId', call.requestId);
    const serve = async () => {
      c.set('log', call.log);
      await next();
      // The last match is the route's own pattern; without a route, the middleware's.
      call.route = routePath(c, -1);
      call.error = c.error;
      const credential: Credential | undefined = c.get('credential');
      if (credential !== undefined) call.credential = credential;
      return c.res;
    };
    const { status } = await (deps.traces === null ? serve() : traced(deps.traces, call, serve));
    observe(deps, call, status);
  });
