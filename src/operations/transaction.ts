/**
 * Reserves and releases in one step (docs/specification.md#transactions).
 */

import type { TransactionItem, TransactionResult } from '../contract/reservations.ts';
import type { Charged } from '../domain/quota.ts';
import type { TransactionMethod } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import * as engine from '../engine/reservations/transaction.ts';
import { countItems } from './counting.ts';
import type { OperationDeps } from './deps.ts';

/**
 * @param items reserves only, if the method is FIRST
 * @returns the outcome with a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; LimitError
 */
export async function transaction(
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'metrics'>,
  credential: Credential,
  method: TransactionMethod,
  items: readonly TransactionItem[],
): Promise<Charged<TransactionResult>> {
  const pending = engine.transaction(deps.engine, credential, method, items);
  const done = await countItems(deps, credential, 'transaction', pending, ({ results }) => results);
  deps.metrics?.countTransaction(method, done.result.status);
  return done;
}
