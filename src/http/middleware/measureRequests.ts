/**
 * Measures the time of requests by the pattern of their route, and counts requests that a limit refused.
 */
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { LimitError } from '../../domain/errors.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { AppEnv } from '../env.ts';

export const measureRequests = (metrics: Metrics) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const start = performance.now();
    await next();
    // The last match is the route's own pattern; without a route, the middleware's: /* or /api/v1/*.
    metrics.countRequest(c.req.method, routePath(c, -1), c.res.status, performance.now() - start);
    if (c.error instanceof LimitError) metrics.countRefusal(c.error.hit.limitType);
  });
