/**
 * POST /api/v1/Reservation/renew: gives reservations another lease (docs/specification.md#operations).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { Failure } from '../../../contract/errors.ts';
import { RenewBody, RenewResult } from '../../../contract/reservations.ts';
import { INVALID_RELEASE_TOKEN } from '../../../domain/reservations.ts';
import { renew } from '../../../engine/reservations/renew.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { CODE_HEADER } from '../../errors.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';
import { tally } from '../../tally.ts';

export const renewOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/renew',
  operationId: 'renew',
  tags: ['Reservation'],
  summary: 'Renew leases',
  description:
    'Each reservation then expires `ttlSeconds` from now, whether that is later or earlier than before. Items are applied one by one, in order.',
  body: RenewBody,
  responses: {
    200: answer('A result for each item, in the same order.', z.array(RenewResult)),
    ...bodyOperation,
    403: answer(
      'At least one item had a wrong or missing release token (explanation INVALID_RELEASE_TOKEN); the other items were applied. Or the tenant is suspended.',
      z.union([z.array(RenewResult), Failure]),
    ),
  },
});

export const renewRoute = ({ engine, sizes, unknownFields, metrics }: HttpDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(renewOperation, { sizes, unknownFields }), async (c) => {
    const results = await renew(engine, c.get('credential'), c.get('body'));
    c.set('outcome', tally(results));
    metrics?.countItems('renew', results);
    if (!results.some(({ explanation }) => explanation === INVALID_RELEASE_TOKEN)) return c.json(results, 200);
    c.header(CODE_HEADER, INVALID_RELEASE_TOKEN);
    return c.json(results, 403);
  });
};
