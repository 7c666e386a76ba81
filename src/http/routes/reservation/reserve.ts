/**
 * POST /api/v1/Reservation/reserve: reserves resources (docs/specification.md#reserve).
 */
import { DryRunQuery } from '../../../contract/dryRun.ts';
import { ReserveResults } from '../../../contract/minimal.ts';
import { ReserveBody, type ReserveResult } from '../../../contract/reservations.ts';
import { PollQuery } from '../../../contract/waiting.ts';
import type { Charged } from '../../../domain/quota.ts';
import * as dryRun from '../../../operations/dryRun.ts';
import { reserve } from '../../../operations/reservations.ts';
import type { WaitDeps } from '../../../operations/waiting.ts';
import { isDryRun } from '../../call/dryRun.ts';
import { holdOf, waitingHeader } from '../../call/hold.ts';
import { chargedItems } from '../../call/minimal.ts';
import { operation } from '../../call/operation.ts';
import { charged } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { bodyOperation, waitingAnswer } from '../../responses.ts';

export const reserveOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/reserve',
  operationId: 'reserve',
  right: 'reserve',
  tags: ['Reservation'],
  summary: 'Reserve resources',
  description:
    'Items are applied one by one, in order, and each result has its own status. It is safe to retry: a requester that already holds the resource gets ALREADY_HAD and the same token. With `waitSeconds`, an item that cannot be had now waits for its turn: while its status is WAITING, send the same request again, until `waitSeconds` are over. With `dryRun=true`, nothing is reserved: the response says what would happen now.',
  query: PollQuery.extend(DryRunQuery.shape),
  isRepeatable: true,
  canBeMinimal: true,
  body: ReserveBody,
  responses: {
    200: waitingAnswer(ReserveResults),
    ...bodyOperation,
  },
});

export const reserveRoute = (deps: WaitDeps): Route =>
  route(
    reserveOperation,
    (call): Promise<Charged<ReserveResult[]>> => {
      const hold = holdOf(call);
      return isDryRun(call)
        ? dryRun.reserve(deps, call.credential, call.body, hold.pollSeconds)
        : reserve(deps, call.credential, call.body, hold, call.once);
    },
    // A dry run does not go on: the header would ask for the same request again.
    (done, call) => (isDryRun(call) ? charged(done, call) : chargedItems(done, call, 200, waitingHeader(done.result))),
  );
