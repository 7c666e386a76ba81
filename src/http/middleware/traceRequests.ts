/**
 * Records a span for each request, as a child of the caller's traceparent.
 */
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { LimitError } from '../../domain/errors.ts';
import type { Traces } from '../../telemetry/traces.ts';
import type { AppEnv } from '../env.ts';

export const traceRequests = (traces: Traces) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const carrier = { traceparent: c.req.header('traceparent'), tracestate: c.req.header('tracestate') };
    await traces.traceRequest(c.req.method, carrier, async () => {
      await next();
      const { status } = c.res;
      // A caller who was not authenticated may have made the tenant up.
      const isUnknown = status === 401 || isLockedOut(c.error);
      const tenant = isUnknown ? undefined : c.get('credential')?.tenant;
      return { route: routePath(c, -1), status, tenant };
    });
  });

/** Whether the client's address had failed too often to be verified. */
const isLockedOut = (error: unknown): boolean =>
  error instanceof LimitError && error.hit.limitType === 'FailedAuthentications';
