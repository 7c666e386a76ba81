/**
 * Deletes a definition and, with `cascade`, all resources below it in the tree (docs/specification.md#deletion).
 */
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { countWhole } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { refuseToken } from './permissions.ts';

/**
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
