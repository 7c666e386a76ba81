/**
 * Registers resources, all or none (docs/specification.md#registration).
 */

import type { Definition, Registration } from '../contract/definitions.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { countWhole } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { refuseToken } from './permissions.ts';

/**
 * @returns the definitions as stored, with ancestors that were registered too, and the remaining quota
 * @throws HoldfastError refused if an item contradicts another one or a stored definition; unauthenticated,
 * unavailable; forbidden for a derived token or a suspended tenant; LimitError
 */
export async function register(
  deps: Pick<OperationDeps, 'definitions' | 'activity'>,
  credential: Credential,
  items: readonly Registration[],
): Promise<Charged<Definition[]>> {
  refuseToken(credential);
  return countWhole(deps, credential, items.length, deps.definitions.register(credential, items));
}
