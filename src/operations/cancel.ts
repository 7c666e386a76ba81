/**
 * Ends waits, and grants that nobody claimed (docs/specification.md#cancel-and-who-is-waiting).
 */

import type { CancelItem, CancelResult } from '../contract/waiting.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/waiting/cancel.ts';
import { countItems } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { chargeRepeat } from './repeats.ts';

/**
 * @param once its Idempotency-Key, if it has one
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export const cancel = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics' | 'reads'>,
  credential: Credential,
  items: readonly CancelItem[],
  once?: Once,
): Promise<Charged<CancelResult[]>> =>
  countItems(
    deps,
    credential,
    'cancel',
    chargeRepeat(deps, credential, once, engine.cancel(deps.engine, credential, items, once)),
    (results) => results,
  );
