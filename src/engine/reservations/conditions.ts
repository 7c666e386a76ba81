/**
 * Sets and reads the conditions of slots (docs/specification.md#condition).
 */
import { z } from 'zod';
import type { ConditionItem, ConditionResult } from '../../contract/conditions.ts';
import type { OutOfService } from '../../domain/conditions.ts';
import type { Idempotency } from '../../domain/idempotency.ts';
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { RedisClient } from '../../redis/client.ts';
import { keysOf } from '../../redis/keys.ts';
import { itemArgs, joined } from '../../redis/layouts.ts';
import { parseItem, toText } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';

/**
 * Sets the conditions of slots: one script call for all items.
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

/**
 * Reads the slots of a tenant that are out of service.
 * @returns them, and a version that is another one after each change; '' if Redis knows of no change, as after it has
 * lost its data
 * @throws HoldfastError unavailable
 */
export async function outOfService(
  redis: RedisClient,
  tenant: string,
): Promise<{ readonly version: string; readonly slots: OutOfService[] }> {
  const slots = new Map<string, OutOfService>();
  let [cursor, version] = ['0', ''];
  do {
    const reply = z.tuple([z.literal('OK'), z.string(), z.string()], z.string());
    const [, next, now, ...parts] = reply.parse(
      await runScript(redis, 'outOfService', ...keysOf('outOfService', tenant), cursor),
    );
    [cursor, version] = [next, version || now];
    for (let i = 0; i < parts.length; i += 4) {
      const [slot = '', since, actor, reason] = parts.slice(i, i + 4);
      slots.set(slot, { slot, sinceMs: Number(since), actor: actor || null, reason: reason || null });
    }
  } while (cursor !== '0');
  return { version, slots: [...slots.values()] };
}

/** The slots that one call takes out of service. */
const RESTORED = 500;

/**
 * Takes slots out of service again after Redis has lost its data. Definitions come first: slots of resources that are
 * not registered stay as they are.
 * @throws HoldfastError unavailable
 */
export async function restoreOut(redis: RedisClient, tenant: string, slots: readonly OutOfService[]): Promise<void> {
  for (let i = 0; i < slots.length; i += RESTORED) {
    const args = slots
      .slice(i, i + RESTORED)
      .flatMap(({ slot, sinceMs, actor, reason }) => [slot, sinceMs, actor ?? '', reason ?? '']);
    await runScript(redis, 'restoreOut', ...keysOf('restoreOut', tenant), ...args);
  }
}
