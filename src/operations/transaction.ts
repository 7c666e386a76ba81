/**
 * Reserves and releases in one step (docs/specification.md#transactions, #waiting). With waitSeconds, a transaction
 * waits until it can be carried out as a whole.
 */

import type { Transaction, TransactionResult } from '../contract/reservations.ts';
import { inSession } from '../contract/sessions.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { isWaiting } from '../domain/waiting.ts';
import * as engine from '../engine/reservations/transaction.ts';
import { countItems } from './counting.ts';
import type { HeldCalls } from './deps.ts';
import { type Hold, type WaitDeps, whileHeld } from './hold.ts';
import { refuseOthersNames, reservingOf } from './person.ts';
import { chargeRepeat } from './repeats.ts';
import { noteTaken } from './unreserve.ts';

/**
 * @param hold how the call may be held if the transaction waits
 * @param once its Idempotency-Key, if it has one
 * @returns the outcome with a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large, or asks for a
 * priority that its credential may not have; LimitError
 */
export async function transaction(
  deps: WaitDeps,
  credential: Credential,
  { method, requests, session, ...wait }: Transaction,
  hold: Hold,
  once?: Once,
): Promise<Charged<TransactionResult>> {
  const items = inSession(requests, session);
  await refuseOthersNames(deps.engine, credential, reservingOf(items));
  const held = (calls: HeldCalls) =>
    calls.transaction(credential, method, items, wait, hold.pollSeconds, hold.caller(), once);
  const pending = isWaiting(wait)
    ? whileHeld(deps, credential, [wait], () => '', held)
    : engine.transaction(deps.engine, credential, method, items, undefined, once);
  const charged = chargeRepeat(deps, credential, once, pending);
  const done = await countItems(deps, credential, 'transaction', charged, ({ results }) => results);
  noteTaken(deps.trail, credential, done, done.result.results);
  if (!done.isReplayed) deps.metrics?.countTransaction(method, done.result.status);
  return done;
}
