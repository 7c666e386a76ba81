/**
 * Operations on definitions: register and delete them, and whether a resource has a free slot.
 */
import type { Definition, Registration } from '../contract/definitions.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { available as callAvailable } from '../engine/definitions/list.ts';
import { countUse, countWhole } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { refuseToken } from './permissions.ts';

/**
 * Registers resources, all or none (docs/specification.md#registration).
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

/**
 * Deletes a definition and, with `cascade`, all resources below it in the tree (docs/specification.md#deletion).
 * @param cascade whether to delete all resources below it too
 * @returns the deleted names, ancestors first, and the remaining quota
 * @throws HoldfastError unregistered; refused if one of them is held, or there are children and no cascade;
 * unauthenticated, unavailable; forbidden for a derived token or a suspended tenant; LimitError
 */
export async function deleteDefinition(
  deps: Pick<OperationDeps, 'definitions' | 'activity'>,
  credential: Credential,
  name: string,
  cascade: boolean,
): Promise<Charged<string[]>> {
  refuseToken(credential);
  return countWhole(deps, credential, 1, deps.definitions.delete(credential, name, cascade));
}

/**
 * Checks whether a resource has a free slot (docs/specification.md#check). Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const available = (
  deps: Pick<OperationDeps, 'engine' | 'activity'>,
  credential: Credential,
  resource: string,
): Promise<Charged<boolean>> => countUse(deps, credential, callAvailable(deps.engine, credential, resource));
