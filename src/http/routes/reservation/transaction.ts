/**
 * POST /api/v1/Reservation/transaction: reserves and releases in one step (docs/specification.md#transactions).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Transaction, TransactionResult } from '../../../contract/reservations.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { transaction } from '../../../operations/transaction.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const transactionOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/transaction',
  operationId: 'transaction',
  tags: ['Reservation'],
  summary: 'Reserve and release in one step',
  description:
    'Items are applied in order and see each other’s effect. `ALL_OR_NONE`: all items succeed, or nothing changes. `AS_MANY_AS_POSSIBLE`: each item succeeds or fails on its own. `FIRST`: the first item that succeeds is kept, and later items are not tried.',
  body: Transaction,
  responses: { 200: answer('A result for each item, in the same order.', TransactionResult), ...bodyOperation },
});

export const transactionRoute = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'metrics'>) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(transactionOperation, deps), async (c) => {
    const { method, requests } = c.get('body');
    const { result, quota } = await transaction(deps, c.get('credential'), method, requests);
    c.set('quota', quota);
    return c.json(result, 200);
  });
};
