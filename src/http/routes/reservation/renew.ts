/**
 * POST /api/v1/Reservation/renew: renews leases (docs/specification.md#renewals).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { Failure } from '../../../contract/errors.ts';
import { RenewResults } from '../../../contract/minimal.ts';
import { RenewBody } from '../../../contract/reservations.ts';
import { INVALID_RELEASE_TOKEN } from '../../../domain/reservations.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { renew } from '../../../operations/renew.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { CODE_HEADER } from '../../errors.ts';
import { asPreferred } from '../../minimal.ts';
import { markReplayed } from '../../once.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const renewOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/renew',
  operationId: 'renew',
  right: 'reserve',
  tags: ['Reservation'],
  summary: 'Renew leases',
  description:
    'Each reservation then expires `ttlSeconds` from now, whether that is later or earlier than before. Items are applied one by one, in order.',
  isRepeatable: true,
  canBeMinimal: true,
  body: RenewBody,
  responses: {
    200: answer('A result for each item, in the same order.', RenewResults),
    ...bodyOperation,
    403: answer(
      'At least one item had a wrong or missing release token (explanation INVALID_RELEASE_TOKEN); the other items were applied. Or the tenant is suspended.',
      z.union([RenewResults, Failure]),
    ),
  },
});

export const renewRoute = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads'>) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(renewOperation, deps), async (c) => {
    const { result: results, quota, isReplayed } = await renew(deps, c.get('credential'), c.get('body'), c.get('once'));
    c.set('quota', quota);
    markReplayed(c, isReplayed);
    if (!results.some(({ explanation }) => explanation === INVALID_RELEASE_TOKEN))
      return c.json(asPreferred(c, c.get('body'), results), 200);
    c.header(CODE_HEADER, INVALID_RELEASE_TOKEN);
    return c.json(asPreferred(c, c.get('body'), results), 403);
  });
};
