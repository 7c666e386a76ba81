/**
 * A span for each request; the caller's traceparent is honoured.
 */
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Traces } from '../../telemetry/traces.ts';
import type { AppEnv } from '../env.ts';

export const traceRequests = (traces: Traces) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const carrier = { traceparent: c.req.header('traceparent'), tracestate: c.req.header('tracestate') };
    await traces.traceRequest(c.req.method, carrier, async () => {
      await next();
      const { status } = c.res;
      // Who is not let in may have made the tenant up.
      const tenant = status === 401 ? undefined : c.get('credential')?.tenant;
      return { route: routePath(c, -1), status, tenant };
    });
  });
