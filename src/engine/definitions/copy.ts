/**
 * What Redis has of the database, and copying a tenant's definitions there
 * (docs/specification.md#store-modes-and-start): bite by bite, under a lease, so that two copies of different ages
 * cannot mix.
 */

import type { RedisClient } from '../../redis/client.ts';
import { itemArgs, namesArg } from '../../redis/items.ts';
import { copyingKey, keysOf, tenantKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';

/** Definitions that one call copies, and bytes of names in them: about 2 ms of Redis. */
const MAX_COPIED = 250;
const MAX_COPIED_BYTES = 262_144;
/** ms that the lease lasts from each call on. */
const LEASE_MS = 5000;

export interface Versions {
  readonly version: number;
  readonly definitionsVersion: number;
}

/** A definition as it is stored; capacity 0: there is to be none. */
export interface StoredDefinition {
  readonly name: string;
  readonly capacity: number;
  /** null: a root */
  readonly parent: string | null;
  readonly blocks: readonly string[];
}

/**
 * The versions that Redis has of a tenant; null where it does not have it, or not as a whole.
 * @throws HoldfastError unavailable
 */
export async function versionsInRedis(redis: RedisClient, tenant: string): Promise<Versions | null> {
  const [version, definitionsVersion, tier] = await send(() =>
    redis.hmget(tenantKey(tenant), 'version', 'definitionsVersion', 'tier'),
  );
  if (!version || !definitionsVersion || !tier) return null;
  return { version: Number(version), definitionsVersion: Number(definitionsVersion) };
}

/**
 * Takes the lease under which a tenant's definitions are copied.
 * @returns whether nobody else had it
 * @throws HoldfastError unavailable
 */
export const takeCopyLease = async (redis: RedisClient, tenant: string, lease: string): Promise<boolean> =>
  (await send(() => redis.set(copyingKey(tenant), lease, 'PX', LEASE_MS, 'NX'))) === 'OK';

/** Gives back a lease that came to nothing. One that was lost to somebody else by now only begins anew. */
export const dropCopyLease = async (redis: RedisClient, tenant: string): Promise<void> => {
  await send(() => redis.del(copyingKey(tenant)));
};

/**
 * Copies definitions, in their order: what is above others comes before them, and is removed after them.
 * @returns false where the lease was lost
 * @throws HoldfastError unavailable
 */
export async function copyDefinitions(
  redis: RedisClient,
  tenant: string,
  lease: string,
  definitions: readonly StoredDefinition[],
): Promise<boolean> {
  for (let from = 0; from < definitions.length; ) {
    const args: (string | number)[] = [];
    let bytes = 0;
    for (const { name, capacity, parent, blocks } of definitions.slice(from, from + MAX_COPIED)) {
      if (bytes >= MAX_COPIED_BYTES) break;
      const item = { name, capacity, parent: parent ?? '', blocks: namesArg(blocks) };
      args.push(...itemArgs('copy', item));
      bytes += name.length + item.blocks.length;
      from++;
    }
    const keys = keysOf('copyDefinitions', tenant);
    const reply = await send(() => redis.hf_copyDefinitions(...keys, lease, LEASE_MS, ...args));
    if (reply !== 'OK') return false;
  }
  return true;
}
