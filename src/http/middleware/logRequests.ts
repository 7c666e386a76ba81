/**
 * One log line a request: id, tenant, route, status and duration; never a key, a token, a body or a query.
 */
import { createMiddleware } from 'hono/factory';
import type { Logger } from 'pino';
import type { AppEnv } from '../env.ts';

export const logRequests = (log: Logger) =>
  createMiddleware<AppEnv>(async (c, next) => {
    c.set('log', log);
    const start = performance.now();
    await next();
    if (!log.isLevelEnabled('info')) return;
    const durationMs = Math.round((performance.now() - start) * 100) / 100;
    const { method, path } = c.req;
    const tenant = c.get('credential')?.tenant;
    log.info({ requestId: c.get('requestId'), tenant, method, path, status: c.res.status, durationMs }, 'request');
  });
