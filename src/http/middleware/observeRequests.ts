/**
 * Gives each request an id. Logs one line for each that failed, was refused or was slow, or for all: id, tenant, path,
 * status and duration, and why the store was away; never a key, token, body or query. The others and probes are logged
 * at level debug. Measures the time of requests by the pattern of their route, and counts those that a limit refused. A
 * request whose response is held counts with the time until then: how long it waits for its turn says nothing about the
 * service.
 */
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { HoldfastError, LimitError } from '../../domain/errors.ts';
import { isLockedOut } from '../../limits/failedAuthentications.ts';
import type { HealthDeps } from '../deps.ts';
import type { AppEnv } from '../env.ts';
import { setRequestId } from '../requestId.ts';

const PROBES = ['/healthz', '/readyz'];
/** From then on a request is slow, unless its response was held. */
const SLOW_MS = 1000;

/** Why what a request needs was away, in words for operators. */
const whyUnavailable = (error: Error | undefined) =>
  error instanceof HoldfastError && error.code === 'unavailable' ? { err: error.cause ?? error } : undefined;

/** One middleware for all of this, and no async function: each takes up to 1 KiB of a call that is held. */
export const observeRequests = ({ log, logRequests, metrics }: Pick<HealthDeps, 'log' | 'logRequests' | 'metrics'>) =>
  createMiddleware<AppEnv>((c, next) => {
    setRequestId(c);
    c.set('log', log);
    const start = performance.now();
    return next().then(() => {
      const ms = performance.now() - start;
      const { heldSinceMs } = c.env.incoming;
      const { method, path } = c.req;
      const { status } = c.res;
      // The last match is the route's own pattern; without a route, the middleware's: /* or /api/v1/*.
      metrics?.countRequest(method, routePath(c, -1), status, heldSinceMs === undefined ? ms : heldSinceMs - start);
      if (c.error instanceof LimitError) metrics?.countRefusal(c.error.hit.limitType);
      const isNotable = logRequests === 'all' || status >= 400 || (ms > SLOW_MS && heldSinceMs === undefined);
      const level = isNotable && !PROBES.includes(path) ? 'info' : 'debug';
      if (!log.isLevelEnabled(level)) return;
      // A caller who was refused unseen may have made the tenant up.
      const tenant = isLockedOut(c.error) ? undefined : c.get('credential')?.tenant;
      // The link of an invitation is a secret.
      const logged = path.startsWith('/join/') ? '/join/…' : path;
      const durationMs = Math.round(ms * 100) / 100;
      const fields = { requestId: c.get('requestId'), tenant, method, path: logged, status, durationMs };
      c.get('log')[level]({ ...fields, ...whyUnavailable(c.error) }, 'request');
    });
  });
