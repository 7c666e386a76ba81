/**
 * POST /api/v1/Reservation/transaction: reserves and releases in one step (docs/specification.md#transactions).
 */
import { DryRunQuery } from '../../../contract/dryRun.ts';
import { Transaction, TransactionResult } from '../../../contract/reservations.ts';
import { PollQuery } from '../../../contract/waiting.ts';
import type { Charged } from '../../../domain/quota.ts';
import * as dryRun from '../../../operations/dryRun.ts';
import { transaction } from '../../../operations/reservations.ts';
import type { WaitDeps } from '../../../operations/waiting.ts';
import { isDryRun } from '../../call/dryRun.ts';
import { holdOf, waitingHeader } from '../../call/hold.ts';
import { operation } from '../../call/operation.ts';
import { charged, NONE } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
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

export const transactionRoute = (deps: WaitDeps): Route =>
  route(
    transactionOperation,
    (call): Promise<Charged<TransactionResult>> => {
      const hold = holdOf(call);
      return isDryRun(call)
        ? dryRun.transaction(deps, call.credential, call.body, hold.pollSeconds)
        : transaction(deps, call.credential, call.body, hold, call.once);
    },
    (done, call) => charged(done, call, 200, isDryRun(call) ? NONE : waitingHeader([done.result])),
  );
