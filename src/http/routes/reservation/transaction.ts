/**
 * POST /api/v1/Reservation/transaction: reserves and releases in one step (docs/specification.md#operations).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Transaction, TransactionResult } from '../../../contract/reservations.ts';
import { transaction } from '../../../engine/reservations/transaction.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';
import { tally } from '../../tally.ts';

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

export const transactionRoute = ({ engine, sizes, unknownFields, metrics }: HttpDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(transactionOperation, { sizes, unknownFields }), async (c) => {
    const { method, requests } = c.get('body');
    const outcome = await transaction(engine, c.get('credential'), method, requests);
    c.set('outcome', tally(outcome.results));
    metrics?.countTransaction(method, outcome.status);
    metrics?.countItems('transaction', outcome.results);
    return c.json(outcome, 200);
  });
};
