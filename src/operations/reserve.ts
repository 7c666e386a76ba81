/**
 * Reserves resources (docs/specification.md#reserve).
 */

import type { ReserveItem, ReserveResult } from '../contract/reservations.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/reservations/reserve.ts';
import { countItems } from './counting.ts';
import type { OperationDeps } from './deps.ts';

/**
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export const reserve = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics'>,
  credential: Credential,
  items: readonly ReserveItem[],
): Promise<Charged<ReserveResult[]>> =>
  countItems(deps, credential, 'reserve', engine.reserve(deps.engine, credential, items), (results) => results);
