/**
 * GET /healthz: the process lives, and a restart would not help it. GET /readyz: it can serve, that is, Redis runs its
 * scripts and keeps what it is given.
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { AppEnv } from '../env.ts';
import type { LivenessCheck, ReadinessCheck } from '../health.ts';
import { answer } from '../responses.ts';

const Health = z.object({ status: z.enum(['ok', 'unavailable']), reason: z.string().optional() }).openapi('Health');

const healthz = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'healthz',
  tags: ['Operations'],
  summary: 'See whether the process lives',
  security: [],
  responses: { 200: answer('It does.', Health), 503: answer('It should be restarted, and why.', Health) },
});

const readyz = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'readyz',
  tags: ['Operations'],
  summary: 'See whether this instance can serve',
  security: [],
  responses: { 200: answer('It can.', Health), 503: answer('It cannot, and why.', Health) },
});

export const healthRoutes = (ready: ReadinessCheck, alive: LivenessCheck) =>
  new OpenAPIHono<AppEnv>()
    .openapi(healthz, (c) => {
      const reason = alive();
      return reason === null
        ? c.json({ status: 'ok' as const }, 200)
        : c.json({ status: 'unavailable' as const, reason }, 503);
    })
    .openapi(readyz, async (c) => {
      const reason = await ready();
      return reason === null
        ? c.json({ status: 'ok' as const }, 200)
        : c.json({ status: 'unavailable' as const, reason }, 503);
    });
