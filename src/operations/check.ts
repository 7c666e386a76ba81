/**
 * Returns who holds resources (docs/specification.md#check). Costs one read for each item.
 */

import type { CheckItem, CheckResult } from '../contract/check.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/reservations/check.ts';
import { countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';

/**
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const check = (
  deps: Pick<OperationDeps, 'engine' | 'activity'>,
  credential: Credential,
  items: readonly CheckItem[],
): Promise<Charged<CheckResult[]>> => countUse(deps, credential, engine.check(deps.engine, credential, items));
