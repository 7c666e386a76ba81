/**
 * Returns who holds resources (docs/specification.md#check), without reserving or releasing anything.
 */
import type { CheckItem, CheckResult } from '../../contract/check.ts';
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs, joined } from '../../redis/layouts.ts';
import { parseItem, toBookedFrom, toInteger, toMs, toTime } from '../../redis/reply.ts';
import { callInBatch } from '../batch.ts';
import type { Engine } from '../engine.ts';
import { toReason } from './holders.ts';
import { Unready } from './slotRecord.ts';

/**
 * Costs one read for each item.
 * @returns a result for each item, in their order, and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused; LimitError
 */
export function check(
  engine: Engine,
  credential: Credential,
  items: readonly CheckItem[],
): Promise<Charged<CheckResult[]>> {
  const args = joined(items, ({ resource, requester }) => itemArgs('check', { resource, requester: requester ?? '' }));
  return callInBatch(engine, 'check', credential, items.length, args, undefined, (replies, from) =>
    items.map((item, i) => toCheckResult(item, parseItem(replies[from + i]))),
  );
}

function toCheckResult({ resource, requester }: CheckItem, reply: readonly string[]): CheckResult {
  const [reserved, owner = '', expiresAt, held, waiting, reservable, holders, note, why = '', ...rest] = reply;
  const [condition, because, bookedFrom] = rest;
  return {
    resource,
    reserved: reserved === '1',
    requester: owner || null,
    heldByRequester: requester === undefined ? null : held === '1',
    expiresAt: toTime(toMs(expiresAt)),
    waiting: toInteger(waiting),
    reservable: reservable === '-1' ? null : reservable === '1',
    ...(note ? { note } : {}),
    ...toBookedFrom(bookedFrom),
    ...(holders === '' ? {} : { mode: 'SHARED' as const, holders: toInteger(holders) }),
    ...toReason(why),
    ...(condition ? { condition: Unready.parse(condition), ...(because && { conditionReason: because }) } : {}),
  };
}
