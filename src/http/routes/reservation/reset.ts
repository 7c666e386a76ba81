/**
 * POST /api/v1/Reservation/reset: ends all reservations of the tenant (docs/specification.md#operations).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { OperationDeps } from '../../../operations/deps.ts';
import { reset } from '../../../operations/reset.ts';
import type { AppEnv } from '../../env.ts';
import { answer, anyOperation } from '../../responses.ts';

const Cleared = z
  .object({ cleared: z.int().openapi({ description: 'How many reservations it ended.' }) })
  .openapi('Cleared');

const route = createRoute({
  method: 'post',
  path: '/api/v1/Reservation/reset',
  operationId: 'reset',
  tags: ['Reservation'],
  summary: 'End all reservations',
  description: 'What is registered stays registered.',
  responses: { 200: answer('Done.', Cleared), ...anyOperation },
});

export const resetRoute = (deps: Pick<OperationDeps, 'engine' | 'activity'>) =>
  new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const { result: cleared, quota } = await reset(deps, c.get('credential'));
    c.set('quota', quota);
    return c.json({ cleared }, 200);
  });
