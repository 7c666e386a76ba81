/**
 * POST /api/v1/Reservation/reserve: reserves resources (docs/specification.md#reserve).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { ReserveBody, ReserveResult } from '../../../contract/reservations.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { reserve } from '../../../operations/reserve.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

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

export const reserveRoute = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'metrics'>) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(reserveOperation, deps), async (c) => {
    const { result: results, quota } = await reserve(deps, c.get('credential'), c.get('body'));
    c.set('quota', quota);
    return c.json(results, 200);
  });
};
