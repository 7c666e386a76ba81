/**
 * /api/v1/Reservation: shows who holds and who waits, ends waits, and ends all reservations
 * (docs/specification.md#check, #listings, #cancel-and-who-is-waiting, #reset).
 */

import { z } from '@hono/zod-openapi';
import { CheckBody, CheckResult } from '../../../contract/check.ts';
import { ActiveFilter, ActiveReservation, Cleared } from '../../../contract/reservations.ts';
import { CancelBody, CancelResult, WaitingFilter, WaitingRequest } from '../../../contract/waiting.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listReservations, listWaiting } from '../../../operations/lists.ts';
import { check, reset } from '../../../operations/reservations.ts';
import { cancel } from '../../../operations/waiting.ts';
import { answerList, jsonRows } from '../../call/listing.ts';
import { operation } from '../../call/operation.ts';
import { asIs, charged, chargedAs } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, bodyOperation, parameterOperation } from '../../responses.ts';

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
  route(cancelOperation, (call) => cancel(deps, call.credential, call.body, call.once), charged);

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
    (call) => reset(deps, call.credential, call.once),
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
