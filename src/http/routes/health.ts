/**
 * GET /healthz: the process lives. GET /readyz: it can serve, that is, Redis runs its scripts and keeps what it is given.
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { AppEnv } from '../env.ts';
import { answer } from '../responses.ts';

/** What stands in the way of serving; null where nothing does. */
export type ReadinessCheck = () => Promise<string | null>;

/** For so long an answer stands for others that are asked for. */
const REMEMBERED_MS = 500;

/** Runs one check at a time and remembers what it found for half a second: anybody may ask, and each check costs Redis nine commands. */
export function shareCheck(check: ReadinessCheck): ReadinessCheck {
  let last: Promise<string | null> | undefined;
  return () => {
    if (last === undefined) {
      last = check();
      const forget = () => {
        last = undefined;
      };
      last.finally(() => setTimeout(forget, REMEMBERED_MS).unref()).catch(() => {});
    }
    return last;
  };
}

const Health = z.object({ status: z.enum(['ok', 'unavailable']), reason: z.string().optional() }).openapi('Health');

const healthz = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'healthz',
  tags: ['Operations'],
  summary: 'See whether the process lives',
  security: [],
  responses: { 200: answer('It does.', Health) },
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

export const healthRoutes = (ready: ReadinessCheck) =>
  new OpenAPIHono<AppEnv>()
    .openapi(healthz, (c) => c.json({ status: 'ok' as const }, 200))
    .openapi(readyz, async (c) => {
      const reason = await ready();
      return reason === null
        ? c.json({ status: 'ok' as const }, 200)
        : c.json({ status: 'unavailable' as const, reason }, 503);
    });
