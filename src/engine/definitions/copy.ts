/**
 * Copies a tenant's definitions from the database to Redis (docs/specification.md#store-modes-and-start): in chunks,
 * under a lease, so that two copies of different versions cannot mix.
 */
import type { RedisClient } from '../../redis/client.ts';
import { copyingKey, keysOf, tenantKey } from '../../redis/keys.ts';
import { readHot } from '../../redis/layouts.ts';
import { runScript } from '../../redis/scripts.ts';
import { send } from '../../redis/send.ts';
import { encodeStored, type StoredDefinition } from './codec.ts';

/**
 * Maximum number of definitions in one chunk, of labels and slotAttributes, and of characters in them: about 2 ms of
 * Redis.
 */
const CHUNK = 250;
const CHUNK_LABELS = 1000;
const CHUNK_CHARACTERS = 262_144;
/** Lifetime of the lease after each call, in ms. */
export const LEASE_MS = 5000;

export interface Versions {
  readonly version: number;
  readonly definitionsVersion: number;
}

/**
 * Reads the versions of a tenant in Redis.
 * @returns null if Redis does not have the tenant, or only a part of it
 * @throws HoldfastError unavailable
 */
export async function versionsInRedis(redis: RedisClient, tenant: string): Promise<Versions | null> {
  const [version, definitionsVersion, hot] = await send(() =>
    redis.hmgetBuffer(tenantKey(tenant), 'version', 'definitionsVersion', 'hot'),
  );
  if (!version || !definitionsVersion || readHot(hot).tier === 0) return null;
  return { version: Number(version), definitionsVersion: Number(definitionsVersion) };
}

/**
 * Takes the lease for copying a tenant's definitions.
 * @returns false if another instance has it
 * @throws HoldfastError unavailable
 */
export const takeCopyLease = async (redis: RedisClient, tenant: string, lease: string): Promise<boolean> =>
  (await send(() => redis.set(copyingKey(tenant), lease, 'PX', LEASE_MS, 'NX'))) === 'OK';

/** Releases the lease after a failure. If another instance has it by now, its copy just restarts. */
export const dropCopyLease = async (redis: RedisClient, tenant: string): Promise<void> => {
  await send(() => redis.del(copyingKey(tenant)));
};

/**
 * Copies definitions in their order: parents come before their children, and are removed after them.
 * @returns false if the lease was lost
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
    let [characters, labels] = [0, 0];
    for (const definition of definitions.slice(from, from + CHUNK)) {
      const encoded = encodeStored(definition);
      args.push(...encoded);
      characters += encoded.join('').length;
      labels += Object.keys(definition.labels).length + definition.slotAttributes.length;
      from++;
      if (characters >= CHUNK_CHARACTERS || labels >= CHUNK_LABELS) break;
    }
    const keys = keysOf('copyDefinitions', tenant);
    const reply = await runScript(redis, 'copyDefinitions', ...keys, lease, LEASE_MS, ...args);
    if (reply !== 'OK') return false;
  }
  return true;
}
