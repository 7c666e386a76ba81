/**
 * Releases reservations (docs/specification.md#release). An item whose token is wrong has the explanation
 * INVALID_RELEASE_TOKEN.
 */

import type { UnreserveItem, UnreserveResult } from '../contract/reservations.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/reservations/unreserve.ts';
import { countItems } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { chargeRepeat } from './repeats.ts';

/**
 * @param once its Idempotency-Key, if it has one
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export const unreserve = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads'>,
  credential: Credential,
  items: readonly UnreserveItem[],
  once?: Once,
): Promise<Charged<UnreserveResult[]>> =>
  countItems(
    deps,
    credential,
    'unreserve',
    chargeRepeat(deps, credential, once, engine.unreserve(deps.engine, credential, items, once)),
    (results) => results,
  );
