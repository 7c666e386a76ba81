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
import { conditionsKey, keysOf } from '../../redis/keys.ts';
import { itemArgs, joined } from '../../redis/layouts.ts';
import { parseItem, toText } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';
import { send } from '../../redis/send.ts';
import { callCharged } from '../call.ts';
import { LEASE_MS } from '../definitions/copy.ts';
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
  return put(engine, credential, items, { idempotency });
}

/**
 * Asks what setCondition() would do now.
 * @throws as setCondition()
 */
export const drySetCondition = async (
  engine: Engine,
  credential: Credential,
  items: readonly ConditionItem[],
): Promise<ConditionResult[]> => (await put(engine, credential, items, { isDry: true })).result;

async function put(
  engine: Engine,
  credential: Credential,
  items: readonly ConditionItem[],
  options: { readonly idempotency?: Idempotency | undefined; readonly isDry?: boolean },
): Promise<Charged<ConditionResult[]>> {
  const args = joined(items, ({ resource, condition, reason }) =>
    itemArgs('setCondition', { resource, condition, reason: reason ?? '' }),
  );
  const { result: replies, ...charged } = await callCharged(engine, 'setCondition', credential, () => args, options);
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

/** The field with the time of the last change (lua/slots/marks.lua). */
const VERSION = '\u0004';

/**
 * Reads when the slots of a tenant that are out of service changed last.
 * @returns us since 1970 UTC; 0 if Redis knows of no change
 * @throws HoldfastError unavailable
 */
export const outVersion = async (redis: RedisClient, tenant: string): Promise<number> =>
  Number((await send(() => redis.hget(conditionsKey(tenant), VERSION))) ?? 0);

/**
 * Reads the slots of a tenant that are out of service.
 * @param max ends the list once it has so many
 * @returns them, and the time of the last change, in us; '' if there was none. null if Redis does not have the tenant
 * @throws HoldfastError unavailable
 */
export async function outOfService(
  redis: RedisClient,
  tenant: string,
  max = Number.POSITIVE_INFINITY,
): Promise<{ readonly version: string; readonly slots: OutOfService[] } | null> {
  const slots = new Map<string, OutOfService>();
  let [cursor, first] = ['0', undefined as string | undefined];
  do {
    const reply = await runScript(redis, 'outOfService', ...keysOf('outOfService', tenant), cursor);
    const [code, next = '', version = '', ...parts] = z.array(z.string()).parse(reply);
    if (code === 'LOST') return null;
    cursor = next;
    first ??= version;
    for (let i = 0; i < parts.length; i += 4) {
      const [slot = '', since, actor, reason] = parts.slice(i, i + 4);
      slots.set(slot, { slot, sinceMs: Number(since), actor: actor || null, reason: reason || null });
    }
  } while (cursor !== '0' && slots.size < max);
  return { version: first, slots: [...slots.values()] };
}

/** The slots that one call takes out of service. */
const RESTORED = 500;

/**
 * Takes slots out of service again after Redis has lost its data: once the definitions are copied, and before the
 * tenant is loaded. Slots of resources that are not registered stay as they are.
 * @param lease that of the copy of the definitions (engine/definitions/copy.ts)
 * @returns false if the lease was lost
 * @throws HoldfastError unavailable
 */
export async function restoreOut(
  redis: RedisClient,
  tenant: string,
  lease: string,
  slots: readonly OutOfService[],
): Promise<boolean> {
  for (let i = 0; i < slots.length; i += RESTORED) {
    const args = joined(slots.slice(i, i + RESTORED), ({ slot, sinceMs, actor, reason }) =>
      itemArgs('out', { slot, sinceMs, actor: actor ?? '', reason: reason ?? '' }),
    );
    const keys = keysOf('restoreOut', tenant);
    if ((await runScript(redis, 'restoreOut', ...keys, lease, LEASE_MS, ...args)) !== 'OK') return false;
  }
  return true;
}
