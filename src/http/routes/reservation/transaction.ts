/**
 * POST /api/v1/Reservation/transaction: reserves and releases in one step (docs/specification.md#transactions).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { DryRunQuery } from '../../../contract/dryRun.ts';
import { Transaction, TransactionResult } from '../../../contract/reservations.ts';
import { PollQuery } from '../../../contract/waiting.ts';
import * as dryRun from '../../../operations/dryRun.ts';
import type { WaitDeps } from '../../../operations/hold.ts';
import { transaction } from '../../../operations/transaction.ts';
import type { BodyDeps } from '../../deps.ts';
import { readDryRun } from '../../dryRun.ts';
import type { AppEnv } from '../../env.ts';
import { refuseMalformed } from '../../errors.ts';
import { holdOf, markWaiting, readPoll } from '../../hold.ts';
import { markReplayed } from '../../once.ts';
import { operation, withBody } from '../../operation.ts';
import { bodyOperation, waitingAnswer } from '../../responses.ts';

export const transactionOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/transaction',
  operationId: 'transaction',
  right: 'reserve',
  tags: ['Reservation'],
  summary: 'Reserve and release in one step',
  description:
    'Items are applied in order and see each other’s effect. `ALL_OR_NONE`: all items succeed, or nothing changes. `AS_MANY_AS_POSSIBLE`: each item succeeds or fails on its own. `FIRST`: the first item that succeeds is kept, and later items are not tried. With `waitSeconds`, `ALL_OR_NONE` and `FIRST` wait for their turn: while the status is WAITING, send the same request again, until `waitSeconds` are over. With `dryRun=true`, nothing changes: the response says what would happen now.',
  query: PollQuery.extend(DryRunQuery.shape),
  isRepeatable: true,
  body: Transaction,
  responses: {
    200: waitingAnswer(TransactionResult),
    ...bodyOperation,
  },
});

export const transactionRoute = (deps: BodyDeps & WaitDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(transactionOperation, deps), async (c) => {
    const { data: poll, error } = readPoll(c.req);
    if (error !== undefined) return refuseMalformed(c, error);
    const isDry = readDryRun(c);
    if (isDry instanceof Response) return isDry;
    if (isDry) {
      const { result, quota } = await dryRun.transaction(deps, c.get('credential'), c.get('body'), poll.pollSeconds);
      c.set('quota', quota);
      return c.json(result, 200);
    }
    const hold = holdOf(c.env, poll.pollSeconds);
    const { result, quota, isReplayed } = await transaction(
      deps,
      c.get('credential'),
      c.get('body'),
      hold,
      c.get('once'),
    );
    c.set('quota', quota);
    markReplayed(c, isReplayed);
    markWaiting(c, [result]);
    return c.json(result, 200);
  });
};
