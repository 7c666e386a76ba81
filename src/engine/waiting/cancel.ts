/**
 * Ends waits, and grants that were not claimed (docs/specification.md#waiting): one script call, or several if the
 * requesters have very many tickets.
 */
import type { CancelItem, CancelResult } from '../../contract/waiting.ts';
import { HoldfastError } from '../../domain/errors.ts';
import type { Idempotency } from '../../domain/idempotency.ts';
import type { Charged } from '../../domain/quota.ts';
import { CANCEL_STATUSES } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs } from '../../redis/layouts.ts';
import { toText } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';

/** Time for which one request goes on, in ms. */
const MAX_MS = 2000;

/**
 * @param idempotency its Idempotency-Key, if it has one
 * @returns a result for each item, in their order
 * @throws HoldfastError unauthenticated, forbidden; unavailable, also if there are too many tickets to look at: then
 * some may have been cancelled; LimitError
 */
export async function cancel(
  engine: Engine,
  credential: Credential,
  items: readonly CancelItem[],
  idempotency?: Idempotency,
): Promise<Charged<CancelResult[]>> {
  const end = performance.now() + MAX_MS;
  const args = items.flatMap((item) => itemArgs('cancel', item));
  let cursor = '';
  for (;;) {
    const isContinuation = cursor !== '';
    const { result: reply, ...charged } = await callCharged(engine, 'cancel', credential, () => [cursor, ...args], {
      isContinuation,
      idempotency,
    });
    const [next, ...statuses] = reply;
    cursor = toText(next);
    if (cursor === '') return { ...charged, result: items.map((item, i) => toResult(item, statuses[i])) };
    if (performance.now() > end)
      throw new HoldfastError(
        'unavailable',
        'Not all of these waits are cancelled yet. Repeat the call with fewer items.',
      );
  }
}

function toResult({ resource, requester }: CancelItem, reply: unknown): CancelResult {
  const status = CANCEL_STATUSES.find((one) => one === reply);
  if (status === undefined) throw new TypeError('cancel returned an unknown status');
  return { resource, requester, status };
}
