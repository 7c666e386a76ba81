/**
 * Returns who holds resources (docs/specification.md#check), without reserving or releasing anything.
 */
import type { CheckItem, CheckResult } from '../../contract/check.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs } from '../../redis/items.ts';
import { parseItem, toInteger, toMs, toTime } from '../../redis/reply.ts';
import { call, type Engine } from '../call.ts';

/**
 * @returns a result for each item, in their order
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function check(
  engine: Engine,
  credential: Credential,
  items: readonly CheckItem[],
): Promise<CheckResult[]> {
  const args = items.flatMap(({ resource, requester }) => itemArgs('check', { resource, requester: requester ?? '' }));
  const replies = await call(engine, 'check', credential, () => args);
  return items.map(({ resource, requester }, i) => {
    const [reserved, owner = '', expiresAt, held, waiting, reservable, holders, note] = parseItem(replies[i]);
    return {
      resource,
      reserved: reserved === '1',
      requester: owner || null,
      heldByRequester: requester === undefined ? null : held === '1',
      expiresAt: toTime(toMs(expiresAt)),
      waiting: toInteger(waiting),
      reservable: reservable === '-1' ? null : reservable === '1',
      ...(note ? { note } : {}),
      ...(holders === '' ? {} : { mode: 'SHARED' as const, holders: toInteger(holders) }),
    };
  });
}
