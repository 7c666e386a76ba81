/**
 * Sets the conditions of slots (docs/specification.md#condition): one script call for all items.
 */
import type { ConditionItem, ConditionResult } from '../../contract/conditions.ts';
import type { Idempotency } from '../../domain/idempotency.ts';
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs, joined } from '../../redis/layouts.ts';
import { parseItem, toText } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';

/**
 * Costs one write for each slot; a pool means all its slots.
 * @returns a result for each item, in their order
 * @throws HoldfastError refused, if the items mean more than 500 slots; unauthenticated, forbidden, unavailable
 */
export async function setCondition(
  engine: Engine,
  credential: Credential,
  items: readonly ConditionItem[],
  idempotency?: Idempotency,
): Promise<Charged<ConditionResult[]>> {
  const args = joined(items, ({ resource, condition, reason }) =>
    itemArgs('setCondition', { resource, condition, reason: reason ?? '' }),
  );
  const { result: replies, ...charged } = await callCharged(engine, 'setCondition', credential, () => args, {
    idempotency,
  });
  return { ...charged, result: items.map((item, i) => toResult(item, parseItem(replies[i]))) };
}

function toResult({ resource, condition }: ConditionItem, [status, explanation]: readonly string[]): ConditionResult {
  switch (status) {
    case 'CHANGED':
    case 'UNCHANGED':
      return { resource, condition, status, explanation: status };
    case 'NOT_VALID':
      return { resource, condition, status, explanation: toText(explanation) };
    default:
      throw new TypeError('setCondition returned an unknown status');
  }
}
