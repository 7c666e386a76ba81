/**
 * POST /api/v1/Reservation/unreserve: releases reservations (docs/specification.md#plans, #operations, #events).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { Failure } from '../../../contract/errors.ts';
import { UnreserveBody, UnreserveResult } from '../../../contract/reservations.ts';
import { INVALID_RELEASE_TOKEN } from '../../../domain/reservations.ts';
import { unreserve } from '../../../engine/reservations/unreserve.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { CODE_HEADER } from '../../errors.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';
import { tally } from '../../tally.ts';

export const unreserveOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/unreserve',
  operationId: 'unreserve',
  tags: ['Reservation'],
  summary: 'Release reservations',
  description: 'Items are applied one by one, in order. Releasing a resource that is already free succeeds.',
  body: UnreserveBody,
  responses: {
    200: answer('A result for each item, in the same order.', z.array(UnreserveResult)),
    ...bodyOperation,
    403: answer(
      'At least one item had a wrong or missing release token (explanation INVALID_RELEASE_TOKEN); the other items were applied. Or the tenant is suspended.',
      z.union([z.array(UnreserveResult), Failure]),
    ),
  },
});

export const unreserveRoute = ({ engine, sizes, unknownFields, metrics }: HttpDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(unreserveOperation, { sizes, unknownFields }), async (c) => {
    const results = await unreserve(engine, c.get('credential'), c.get('body'));
    c.set('outcome', tally(results));
    metrics?.countItems('unreserve', results);
    if (!results.some(({ explanation }) => explanation === INVALID_RELEASE_TOKEN)) return c.json(results, 200);
    c.header(CODE_HEADER, INVALID_RELEASE_TOKEN);
    return c.json(results, 403);
  });
};
