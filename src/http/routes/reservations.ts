/**
 * /api/v1/Reservation: reserves and releases, shows who holds and who waits, ends waits, and ends all reservations
 * (docs/specification.md#operations).
 */

import { z } from '@hono/zod-openapi';
import { CheckBody, CheckResult } from '../../contract/check.ts';
import { Failure } from '../../contract/errors.ts';
import { DryRunQuery, RenewResults, ReserveResults, UnreserveResults } from '../../contract/preferences.ts';
import { RenewBody } from '../../contract/renewals.ts';
import {
  ActiveFilter,
  ActiveReservation,
  Cleared,
  ReserveBody,
  type ReserveResult,
  Transaction,
  TransactionResult,
  UnreserveBody,
} from '../../contract/reservations.ts';
import { CancelBody, CancelResult, PollQuery, WaitingFilter, WaitingRequest } from '../../contract/waiting.ts';
import type { Charged } from '../../domain/quota.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import * as dryRun from '../../operations/dryRun.ts';
import { listReservations, listWaiting } from '../../operations/lists.ts';
import { check, renew, reserve, reset, transaction, unreserve } from '../../operations/reservations.ts';
import { cancel, type WaitDeps } from '../../operations/waiting.ts';
import { isDryRun } from '../call/idempotency.ts';
import { answerList, jsonRows } from '../call/listing.ts';
import { pollingOf, waitingHeader } from '../call/longPoll.ts';
import { chargedItems, chargedReleases } from '../call/minimal.ts';
import { operation } from '../call/operation.ts';
import { asIs, charged, chargedAs, NONE } from '../call/reply.ts';
import { type Route, route } from '../call/route.ts';
import { answer, bodyOperation, parameterOperation, waitingAnswer } from '../openapi/responses.ts';

/** POST /api/v1/Reservation/reserve: reserves resources (docs/specification.md#reserve). */
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
      const polling = pollingOf(call);
      return isDryRun(call)
        ? dryRun.reserve(deps, call.credential, call.body, polling.pollSeconds)
        : reserve(deps, call.credential, call.body, polling, call.idempotency);
    },
    // A dry run does not go on: the header would ask for the same request again.
    (done, call) => (isDryRun(call) ? charged(done, call) : chargedItems(done, call, 200, waitingHeader(done.result))),
  );

/**
 * POST /api/v1/Reservation/unreserve: releases reservations (docs/specification.md#release).
 * POST /api/v1/Reservation/renew: renews leases (docs/specification.md#renewals).
 */
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
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>,
): Route =>
  route(
    unreserveOperation,
    (call) => (isDryRun(call) ? dryRun.unreserve : unreserve)(deps, call.credential, call.body, call.idempotency),
    chargedReleases,
  );

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

export const renewRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads'>): Route =>
  route(renewOperation, (call) => renew(deps, call.credential, call.body, call.idempotency), chargedReleases);

/** POST /api/v1/Reservation/transaction: reserves and releases in one step (docs/specification.md#transactions). */
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
      const polling = pollingOf(call);
      return isDryRun(call)
        ? dryRun.transaction(deps, call.credential, call.body, polling.pollSeconds)
        : transaction(deps, call.credential, call.body, polling, call.idempotency);
    },
    (done, call) => charged(done, call, 200, isDryRun(call) ? NONE : waitingHeader([done.result])),
  );

export const checkOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/check',
  operationId: 'check',
  right: 'read',
  tags: ['Reservation'],
  summary: 'See who holds resources',
  description: 'Costs one read for each item.',
  body: CheckBody,
  responses: { 200: answer('A result for each item, in the same order.', z.array(CheckResult)), ...bodyOperation },
});

export const checkRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads'>): Route =>
  route(checkOperation, (call) => check(deps, call.credential, call.body), charged);

export const cancelOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/cancel',
  operationId: 'cancel',
  right: 'reserve',
  tags: ['Reservation'],
  summary: 'Stop waiting',
  description:
    'Ends all waits of this requester that name this resource. If such a wait has just succeeded and its caller has not got the response yet, the reservation ends, too. Calls that still wait get NOT_AVAILABLE. If the caller is just between two calls, its next one begins a new wait: stop the caller, too.',
  isRepeatable: true,
  body: CancelBody,
  responses: {
    200: answer('A result for each item, in the same order.', z.array(CancelResult)),
    ...bodyOperation,
  },
});

export const cancelRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>): Route =>
  route(cancelOperation, (call) => cancel(deps, call.credential, call.body, call.idempotency), charged);

export const resetOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/reset',
  operationId: 'reset',
  right: 'reset',
  tags: ['Reservation'],
  summary: 'End all reservations',
  description: 'Definitions stay.',
  isRepeatable: true,
  responses: { 200: answer('All reservations have ended.', Cleared), ...parameterOperation },
});

export const resetRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'trail' | 'history'>): Route =>
  route(
    resetOperation,
    (call) => reset(deps, call.credential, call.idempotency),
    chargedAs((cleared) => ({ cleared })),
  );

export const activeReservationsOperation = operation({
  method: 'get',
  path: '/api/v1/Reservation/activeReservations',
  operationId: 'listReservations',
  right: 'read',
  tags: ['Reservation'],
  summary: "List the tenant's active reservations",
  description:
    'In no particular order. Every reservation that exists from the start of the call to its end is listed exactly once. Costs one read for each 1,000 held slots. A response that ends before its closing bracket is incomplete.',
  request: { query: ActiveFilter },
  responses: { 200: answer('The reservations.', z.array(ActiveReservation)), ...parameterOperation },
});

export const activeReservationsRoute = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>,
): Route =>
  route(
    activeReservationsOperation,
    (call) => answerList(call, deps, () => listReservations(deps, call.credential, call.query), jsonRows()),
    asIs,
  );

export const waitingOperation = operation({
  method: 'get',
  path: '/api/v1/Reservation/waiting',
  operationId: 'listWaiting',
  right: 'read',
  tags: ['Reservation'],
  summary: 'List who waits',
  description:
    'In the order of the queue. Costs one read for each 1,000 requests that wait. A response that ends before its closing bracket is incomplete.',
  request: { query: WaitingFilter },
  responses: { 200: answer('Who waits.', z.array(WaitingRequest)), ...parameterOperation },
});

export const waitingRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>): Route =>
  route(
    waitingOperation,
    (call) => answerList(call, deps, () => listWaiting(deps, call.credential, call.query), jsonRows()),
    asIs,
  );
