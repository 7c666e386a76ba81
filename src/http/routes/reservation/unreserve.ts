/**
 * POST /api/v1/Reservation/unreserve: releases reservations (docs/specification.md#release).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { DryRunQuery } from '../../../contract/dryRun.ts';
import { Failure } from '../../../contract/errors.ts';
import { UnreserveResults } from '../../../contract/minimal.ts';
import { UnreserveBody } from '../../../contract/reservations.ts';
import { INVALID_RELEASE_TOKEN } from '../../../domain/reservations.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import * as dryRun from '../../../operations/dryRun.ts';
import { unreserve } from '../../../operations/unreserve.ts';
import type { BodyDeps } from '../../deps.ts';
import { readDryRun } from '../../dryRun.ts';
import type { AppEnv } from '../../env.ts';
import { CODE_HEADER } from '../../errors.ts';
import { asPreferred } from '../../minimal.ts';
import { markReplayed } from '../../once.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const unreserveOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/unreserve',
  operationId: 'unreserve',
  right: 'reserve',
  tags: ['Reservation'],
  summary: 'Release reservations',
  description:
    'Items are applied one by one, in order. If nobody holds the resource, the item is NOT_RESERVED, and the HTTP status 200. With `dryRun=true`, nothing is released: the response says what would happen now.',
  query: DryRunQuery,
  isRepeatable: true,
  canBeMinimal: true,
  body: UnreserveBody,
  responses: {
    200: answer('A result for each item, in the same order.', UnreserveResults),
    ...bodyOperation,
    403: answer(
      'At least one item had a wrong or missing release token (explanation INVALID_RELEASE_TOKEN); the other items were applied. Or the tenant is suspended.',
      z.union([UnreserveResults, Failure]),
    ),
  },
});

export const unreserveRoute = (
  deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>,
) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(unreserveOperation, deps), async (c) => {
    const isDry = readDryRun(c);
    if (isDry instanceof Response) return isDry;
    const run = isDry ? dryRun.unreserve : unreserve;
    const { result: results, quota, isReplayed } = await run(deps, c.get('credential'), c.get('body'), c.get('once'));
    c.set('quota', quota);
    markReplayed(c, isReplayed);
    if (!results.some(({ explanation }) => explanation === INVALID_RELEASE_TOKEN))
      return c.json(asPreferred(c, c.get('body'), results), 200);
    c.header(CODE_HEADER, INVALID_RELEASE_TOKEN);
    return c.json(asPreferred(c, c.get('body'), results), 403);
  });
};
