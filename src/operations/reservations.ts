/**
 * Operations on reservations: reserve, release, renew, transaction, check and reset.
 */

import type { CheckItem, CheckResult } from '../contract/check.ts';
import type { RenewItem, RenewResult } from '../contract/renewals.ts';
import type {
  ReserveItem,
  ReserveResult,
  Transaction,
  TransactionResult,
  UnreserveItem,
  UnreserveResult,
} from '../contract/reservations.ts';
import { inSession } from '../contract/sessions.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { isWaiting } from '../domain/waiting.ts';
import { check as callCheck } from '../engine/reservations/check.ts';
import { renew as callRenew } from '../engine/reservations/renew.ts';
import { reserve as callReserve } from '../engine/reservations/reserve.ts';
import { transaction as callTransaction } from '../engine/reservations/transaction.ts';
import { reset as callReset, unreserve as callUnreserve, wasTaken } from '../engine/reservations/unreserve.ts';
import { chargeRepeat, countItems, countUse, countWhole } from './charging.ts';
import type { LongPolls, OperationDeps } from './deps.ts';
import { refuseOthersNames, refuseToken, reservingOf } from './permissions.ts';
import { type Polling, runPolled, type WaitDeps } from './waiting.ts';

/**
 * Reserves resources (docs/specification.md#reserve, #waiting). Items with waitSeconds wait for their turn.
 * @param hold how the call may be held if an item waits
 * @param idempotency its Idempotency-Key, if it has one
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large, or asks for a
 * priority that its credential may not have; LimitError
 */
export function reserve(
  deps: WaitDeps,
  credential: Credential,
  items: readonly ReserveItem[],
  polling: Polling,
  idempotency?: Idempotency,
): Promise<Charged<ReserveResult[]>> {
  const polled = (calls: LongPolls) =>
    calls.reserve(credential, items, polling.pollSeconds, polling.caller(), idempotency);
  const carryOut = (): Promise<Charged<ReserveResult[]>> =>
    items.some(isWaiting)
      ? runPolled(deps, credential, items, (index) => `[${index}].`, polled)
      : callReserve(deps.engine, credential, items, undefined, idempotency);
  const checked = refuseOthersNames(deps.engine, credential, items);
  // A plain call waits for the engine alone.
  const pending = checked === undefined ? carryOut() : checked.then(carryOut);
  return countItems(
    deps,
    credential,
    'reserve',
    chargeRepeat(deps, credential, idempotency, pending),
    (results) => results,
  );
}

/**
 * Releases reservations (docs/specification.md#release). An item whose token is wrong has the explanation
 * INVALID_RELEASE_TOKEN.
 * @param idempotency its Idempotency-Key, if it has one
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export const unreserve = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads' | 'trail'>,
  credential: Credential,
  items: readonly UnreserveItem[],
  idempotency?: Idempotency,
): Promise<Charged<UnreserveResult[]>> => {
  const charged = chargeRepeat(
    deps,
    credential,
    idempotency,
    callUnreserve(deps.engine, credential, items, idempotency),
  );
  return countItems(deps, credential, 'unreserve', charged, (results) => results).then((done) => {
    noteTaken(deps.trail, credential, done, done.result);
    return done;
  });
};

/** Notes in the audit trail which reservations a request took away from their holders, unless it is a repeat. */
function noteTaken(
  trail: OperationDeps['trail'],
  credential: Credential,
  { isReplayed }: Pick<Charged<unknown>, 'isReplayed'>,
  results: readonly Pick<UnreserveResult, 'resource' | 'requester'>[],
): void {
  const taken = isReplayed ? [] : results.filter(wasTaken);
  if (taken.length === 0) return;
  trail?.note(
    credential,
    ...taken.map(({ resource, requester }) => ({ action: 'reservation.take', details: { resource, requester } })),
  );
}

/**
 * Renews reservations: each gets a new lease (docs/specification.md#renewals). An item whose token is wrong has the
 * explanation INVALID_RELEASE_TOKEN.
 * @param idempotency its Idempotency-Key, if it has one
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export const renew = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads'>,
  credential: Credential,
  items: readonly RenewItem[],
  idempotency?: Idempotency,
): Promise<Charged<RenewResult[]>> =>
  countItems(
    deps,
    credential,
    'renew',
    chargeRepeat(deps, credential, idempotency, callRenew(deps.engine, credential, items, idempotency)),
    (results) => results,
  );

/**
 * Reserves and releases in one step (docs/specification.md#transactions, #waiting). With waitSeconds, a transaction
 * waits until it can be carried out as a whole.
 * @param hold how the call may be held if the transaction waits
 * @param idempotency its Idempotency-Key, if it has one
 * @returns the outcome with a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large, or asks for a
 * priority that its credential may not have; LimitError
 */
export async function transaction(
  deps: WaitDeps,
  credential: Credential,
  { method, requests, session, ...wait }: Transaction,
  polling: Polling,
  idempotency?: Idempotency,
): Promise<Charged<TransactionResult>> {
  const items = inSession(requests, session);
  await refuseOthersNames(deps.engine, credential, reservingOf(items));
  const polled = (calls: LongPolls) =>
    calls.transaction(credential, method, items, wait, polling.pollSeconds, polling.caller(), idempotency);
  const pending = isWaiting(wait)
    ? runPolled(deps, credential, [wait], () => '', polled)
    : callTransaction(deps.engine, credential, method, items, undefined, idempotency);
  const charged = chargeRepeat(deps, credential, idempotency, pending);
  const done = await countItems(deps, credential, 'transaction', charged, ({ results }) => results);
  noteTaken(deps.trail, credential, done, done.result.results);
  if (!done.isReplayed) deps.metrics?.countTransaction(method, done.result.status);
  return done;
}

/**
 * Returns who holds resources (docs/specification.md#check). Costs one read for each item.
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const check = (
  deps: Pick<OperationDeps, 'engine' | 'activity'>,
  credential: Credential,
  items: readonly CheckItem[],
): Promise<Charged<CheckResult[]>> => countUse(deps, credential, callCheck(deps.engine, credential, items));

/**
 * Ends all reservations of a tenant (docs/specification.md#reset). Definitions stay.
 * @param idempotency its Idempotency-Key, if it has one
 * @returns the number of reservations ended, and the remaining quota
 * @throws HoldfastError unauthenticated, unavailable; forbidden for a derived token or a suspended tenant; LimitError
 */
export async function reset(
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'trail' | 'history'>,
  credential: Credential,
  idempotency?: Idempotency,
): Promise<Charged<number>> {
  refuseToken(credential);
  // A reset puts nothing aside while that of an earlier one is still there.
  await deps.history.keepReset(credential.tenant);
  const charged = chargeRepeat(deps, credential, idempotency, callReset(deps.engine, credential, idempotency));
  const done = await countWhole(deps, credential, 1, charged);
  if (!done.isReplayed) deps.trail?.note(credential, { action: 'reservations.reset', details: { count: done.result } });
  return done;
}
