/**
 * Records a span for each request, as a child of the caller's traceparent. The span has the id of the request, and the
 * log lines of the request have the id of the trace, so that each leads to the other.
 */
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { isLockedOut } from '../../limits/failedAuthentications.ts';
import type { Traces } from '../../telemetry/traces.ts';
import type { AppEnv } from '../env.ts';

export const traceRequests = (traces: Traces) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const carrier = { traceparent: c.req.header('traceparent'), tracestate: c.req.header('tracestate') };
    const request = { method: c.req.method, requestId: c.get('requestId') };
    await traces.traceRequest(request, carrier, async (traceId) => {
      if (traceId !== null) c.set('log', c.get('log').child({ traceId }));
      await next();
      const { status } = c.res;
      // A caller who was not authenticated may have made the tenant up.
      const isUnknown = status === 401 || isLockedOut(c.error);
      const tenant = isUnknown ? undefined : c.get('credential')?.tenant;
      return { route: routePath(c, -1), status, tenant };
    });
  });
