/**
 * POST /api/v1/Reservation/reset: ends all reservations of the tenant (docs/specification.md#operations).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { reset } from '../../../engine/reservations/reset.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { notByToken } from '../../middleware/notByToken.ts';
import { answer, anyOperation } from '../../responses.ts';
import { done } from '../../tally.ts';

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
  middleware: notByToken,
  responses: { 200: answer('Done.', Cleared), ...anyOperation },
});

export const resetRoute = ({ engine }: HttpDeps) =>
  new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const cleared = await reset(engine, c.get('credential'));
    c.set('outcome', done(1));
    return c.json({ cleared }, 200);
  });
