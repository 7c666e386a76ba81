/**
 * Charges what a look at the history costs beyond the read that was charged before.
 */
import { LOOKED_PER_READ } from '../domain/history.ts';
import type { Credential } from '../domain/tenants.ts';
import type { OperationDeps } from './deps.ts';

/**
 * @param looked entries that were looked at. One read has been charged
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function debitLooked(
  reads: OperationDeps['reads'],
  credential: Credential,
  looked: number,
): Promise<void> {
  const further = Math.ceil(looked / LOOKED_PER_READ) - 1;
  if (further > 0) await reads.debit(credential, further);
}
