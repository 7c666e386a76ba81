/**
 * Reserves resources (docs/specification.md#reserve, #waiting). Items with waitSeconds wait for their turn.
 */

import type { ReserveItem, ReserveResult } from '../contract/reservations.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { isWaiting } from '../domain/waiting.ts';
import * as engine from '../engine/reservations/reserve.ts';
import { countItems } from './counting.ts';
import type { HeldCalls } from './deps.ts';
import { type Hold, type WaitDeps, whileHeld } from './hold.ts';
import { refuseOthersNames } from './person.ts';
import { chargeRepeat } from './repeats.ts';

/**
 * @param hold how the call may be held if an item waits
 * @param once its Idempotency-Key, if it has one
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large, or asks for a
 * priority that its credential may not have; LimitError
 */
export function reserve(
  deps: WaitDeps,
  credential: Credential,
  items: readonly ReserveItem[],
  hold: Hold,
  once?: Once,
): Promise<Charged<ReserveResult[]>> {
  const held = (calls: HeldCalls) => calls.reserve(credential, items, hold.pollSeconds, hold.caller(), once);
  const carryOut = (): Promise<Charged<ReserveResult[]>> =>
    items.some(isWaiting)
      ? whileHeld(deps, credential, items, (index) => `[${index}].`, held)
      : engine.reserve(deps.engine, credential, items, undefined, once);
  const checked = refuseOthersNames(deps.engine, credential, items);
  // A plain call waits for the engine alone.
  const pending = checked === undefined ? carryOut() : checked.then(carryOut);
  return countItems(deps, credential, 'reserve', chargeRepeat(deps, credential, once, pending), (results) => results);
}
