/**
 * Tells what was done although no caller was told: a request that was carried out a second time shows only so if its
 * repeat gets the answer of the first.
 */
import type { History } from '../history.ts';
import { holdsOf } from './holds.ts';
import { outcomeOf, waits } from './outcomes.ts';
import { callsByRequester, lossesOf } from './seen.ts';
import { undoingOf } from './undone.ts';

/**
 * Returns whether no caller was told of a reservation, although its requester was told all that their calls did: none
 * of these waits, may be unknown, or was sent while something was broken.
 */
export function untoldOf(history: History): (tenant: string, requester: string, token: number) => boolean {
  const callsOf = callsByRequester(history);
  const isLost = lossesOf(history);
  const { isNear } = undoingOf(history);
  const told = new Set(holdsOf(history).holds.map(({ tenant, fencingToken }) => `${tenant} ${fencingToken}`));
  return (tenant, requester, token) => {
    if (told.has(`${tenant} ${token}`)) return false;
    const calls = callsOf(tenant, requester);
    return (
      calls.length > 0 &&
      calls.every(
        (call) =>
          outcomeOf(call) !== 'unknown' &&
          !waits(call) &&
          !isLost(call.invokedAt, call.completedAt) &&
          !isNear(call.invokedAt, call.completedAt),
      )
    );
  };
}
