/**
 * Ends waits, and grants that were not claimed (docs/specification.md#waiting): one script call, or several if the
 * requesters have very many tickets.
 */
import type { CancelItem, CancelResult } from '../../contract/waiting.ts';
import { HoldfastError } from '../../domain/errors.ts';
import type { Charged } from '../../domain/quota.ts';
import { CANCEL_STATUSES } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs } from '../../redis/items.ts';
import { toText } from '../../redis/reply.ts';
import { callCharged, type Engine } from '../call.ts';

/** How long one request goes on, in ms. */
const MAX_MS = 2000;

/**
 * @returns a result for each item, in their order
 * @throws HoldfastError unauthenticated, forbidden; unavailable, also if there are too many tickets to look at: then
 * some may have been cancelled; LimitError
 */
export async function cancel(
  engine: Engine,
  credential: Credential,
  items: readonly CancelItem[],
): Promise<Charged<CancelResult[]>> {
  const end = performance.now() + MAX_MS;
  const results: CancelResult[] = [];
  let [at, cursor] = [0, ''];
  for (;;) {
    const args = [cursor, ...items.slice(at).flatMap((item) => itemArgs('cancel', item))];
    const isContinuation = at > 0 || cursor !== '';
    const { result: reply, ...charged } = await callCharged(engine, 'cancel', credential, () => args, {
      isContinuation,
    });
    const [next, ...statuses] = reply;
    for (const [i, item] of items.slice(at, at + statuses.length).entries())
      results[at + i] = toResult(item, results[at + i], statuses[i]);
    cursor = toText(next);
    at += cursor === '' ? statuses.length : statuses.length - 1;
    if (at >= items.length) return { ...charged, result: results };
    if (performance.now() > end)
      throw new HoldfastError('unavailable', 'Not all of these waits are cancelled yet. Repeat the call with fewer items.');
  }
}

/** @param before the result of earlier pieces */
function toResult({ resource, requester }: CancelItem, before: CancelResult | undefined, reply: unknown): CancelResult {
  const status = CANCEL_STATUSES.find((one) => one === reply);
  if (status === undefined) throw new TypeError('cancel returned an unknown status');
  return before?.status === 'CANCELLED' ? before : { resource, requester, status };
}
