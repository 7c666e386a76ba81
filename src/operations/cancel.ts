/**
 * Ends waits, and grants that nobody claimed (docs/specification.md#cancel-and-who-is-waiting).
 */

import type { CancelItem, CancelResult } from '../contract/waiting.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/waiting/cancel.ts';
import { countItems } from './counting.ts';
import type { OperationDeps } from './deps.ts';

/**
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export const cancel = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics'>,
  credential: Credential,
  items: readonly CancelItem[],
): Promise<Charged<CancelResult[]>> =>
  countItems(deps, credential, 'cancel', engine.cancel(deps.engine, credential, items), (results) => results);
