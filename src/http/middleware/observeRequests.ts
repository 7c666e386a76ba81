/**
 * Gives each request an id. Logs one line for it: id, tenant, path, status and duration; never a key, token, body or
 * query. Probes are logged at level debug. Measures the time of requests by the pattern of their route, and counts
 * requests that a limit refused.
 */
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';
import { LimitError } from '../../domain/errors.ts';
import { isLockedOut } from '../../limits/failedAuthentications.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { AppEnv } from '../env.ts';
import { setRequestId } from '../requestId.ts';

const PROBES = ['/healthz', '/readyz'];

/**
 * One middleware for all of this, and no async function: each takes up to 1 KiB of a call that is held.
 * @param metrics null: metrics are off
 */
export const observeRequests = (log: Logger, metrics: Metrics | null) =>
  createMiddleware<AppEnv>((c, next) => {
    setRequestId(c);
    c.set('log', log);
    const start = performance.now();
    return next().then(() => {
      const ms = performance.now() - start;
      const { method, path } = c.req;
      const { status } = c.res;
      // The last match is the route's own pattern; without a route, the middleware's: /* or /api/v1/*.
      metrics?.countRequest(method, routePath(c, -1), status, ms);
      if (c.error instanceof LimitError) metrics?.countRefusal(c.error.hit.limitType);
      const level = PROBES.includes(path) ? 'debug' : 'info';
      if (!log.isLevelEnabled(level)) return;
      // A caller who was refused unseen may have made the tenant up.
      const tenant = isLockedOut(c.error) ? undefined : c.get('credential')?.tenant;
      // The link of an invitation is a secret.
      const logged = path.startsWith('/join/') ? '/join/…' : path;
      const durationMs = Math.round(ms * 100) / 100;
      log[level]({ requestId: c.get('requestId'), tenant, method, path: logged, status, durationMs }, 'request');
    });
  });
