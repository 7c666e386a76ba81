/**
 * Ends all reservations of a tenant (docs/specification.md#reset). Definitions stay.
 */
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/reservations/unreserve.ts';
import { countWhole } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { refuseToken } from './permissions.ts';
import { chargeRepeat } from './repeats.ts';

/**
 * @param once its Idempotency-Key, if it has one
 * @returns the number of reservations ended, and the remaining quota
 * @throws HoldfastError unauthenticated, unavailable; forbidden for a derived token or a suspended tenant; LimitError
 */
export async function reset(
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'trail' | 'history'>,
  credential: Credential,
  once?: Once,
): Promise<Charged<number>> {
  refuseToken(credential);
  // A reset puts nothing aside while that of an earlier one is still there.
  await deps.history.keepReset(credential.tenant);
  const charged = chargeRepeat(deps, credential, once, engine.reset(deps.engine, credential, once));
  const done = await countWhole(deps, credential, 1, charged);
  if (!done.isReplayed) deps.trail?.note(credential, { action: 'reservations.reset', details: { count: done.result } });
  return done;
}
