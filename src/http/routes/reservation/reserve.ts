/**
 * POST /api/v1/Reservation/reserve: reserves resources (docs/specification.md#operations).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { ReserveBody, ReserveResult } from '../../../contract/reservations.ts';
import { reserve } from '../../../engine/reservations/reserve.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';
import { tally } from '../../tally.ts';

export const reserveOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/reserve',
  operationId: 'reserve',
  tags: ['Reservation'],
  summary: 'Reserve resources',
  description:
    'Items are applied one by one, in order, and each result has its own status. It is safe to retry: a requester that already holds the resource gets ALREADY_HAD and the same token.',
  body: ReserveBody,
  responses: { 200: answer('A result for each item, in the same order.', z.array(ReserveResult)), ...bodyOperation },
});

export const reserveRoute = ({ engine, sizes, unknownFields, metrics }: HttpDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(reserveOperation, { sizes, unknownFields }), async (c) => {
    const results = await reserve(engine, c.get('credential'), c.get('body'));
    c.set('outcome', tally(results));
    metrics?.countItems('reserve', results);
    return c.json(results, 200);
  });
};
