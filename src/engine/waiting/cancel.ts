/**
 * Ends waits, and grants that were not claimed (docs/specification.md#waiting): one script call for any number of
 * items.
 */
import type { CancelItem, CancelResult } from '../../contract/waiting.ts';
import type { Charged } from '../../domain/quota.ts';
import { CANCEL_STATUSES } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs } from '../../redis/items.ts';
import { callCharged, type Engine } from '../call.ts';

/**
 * @returns a result for each item, in their order
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function cancel(
  engine: Engine,
  credential: Credential,
  items: readonly CancelItem[],
): Promise<Charged<CancelResult[]>> {
  const args = items.flatMap((item) => itemArgs('cancel', item));
  const { result: replies, ...charged } = await callCharged(engine, 'cancel', credential, () => args);
  const result = items.map(({ resource, requester }, i) => {
    const status = CANCEL_STATUSES.find((one) => one === replies[i]);
    if (status === undefined) throw new TypeError('cancel returned an unknown status');
    return { resource, requester, status };
  });
  return { ...charged, result };
}
