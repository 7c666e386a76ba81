/**
 * Ends all reservations of a tenant (docs/specification.md#reset). Definitions stay.
 */
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/reservations/reset.ts';
import { countWhole } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { refuseToken } from './permissions.ts';

/**
 * @returns the number of reservations ended, and the remaining quota
 * @throws HoldfastError unauthenticated, unavailable; forbidden for a derived token or a suspended tenant; LimitError
 */
export async function reset(
  deps: Pick<OperationDeps, 'engine' | 'activity'>,
  credential: Credential,
): Promise<Charged<number>> {
  refuseToken(credential);
  return countWhole(deps, credential, 1, engine.reset(deps.engine, credential));
}
