/**
 * Logs one line for each request: id, tenant, path, status and duration; never a key, token, body or query. Probes are
 * logged at level debug.
 */
import { createMiddleware } from 'hono/factory';
import type { Logger } from 'pino';
import type { AppEnv } from '../env.ts';

const PROBES = ['/healthz', '/readyz'];

export const logRequests = (log: Logger) =>
  createMiddleware<AppEnv>(async (c, next) => {
    c.set('log', log);
    const start = performance.now();
    await next();
    const level = PROBES.includes(c.req.path) ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const durationMs = Math.round((performance.now() - start) * 100) / 100;
    const { method, path } = c.req;
    const tenant = c.get('credential')?.tenant;
    log[level]({ requestId: c.get('requestId'), tenant, method, path, status: c.res.status, durationMs }, 'request');
  });
