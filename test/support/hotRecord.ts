/**
 * Reads and changes the packed field of a tenant's hash (src/redis/layouts.ts), which scripts keep.
 */
import type { Redis } from 'ioredis';
import type { RedisClient } from '../../src/redis/client.ts';
import { tenantKey } from '../../src/redis/keys.ts';
import { HOT_NUMBERS, type Hot, readHot } from '../../src/redis/layouts.ts';

/** The flags of the field, as lua/frame/tenant.lua lists them. */
export const FLAGS = {
  labelled: 1,
  closing: 2,
  beats: 4,
  queue: 8,
  sessions: 16,
  terms: 32,
  suspended: 64,
  strict: 128,
};

/** A quota of which nothing is used. */
export const UNUSED = { minuteStart: 0, minute: 0, day: 0, today: 0 };

export const hotOf = async (redis: Redis | RedisClient, tenant: string): Promise<Hot> =>
  readHot(await redis.hgetBuffer(tenantKey(tenant), 'hot'));

export function packHot(hot: Hot): Buffer {
  const numbers = HOT_NUMBERS.map(([name, bytes]) =>
    Buffer.from(
      BigInt(hot[name])
        .toString(16)
        .padStart(2 * bytes, '0'),
      'hex',
    ),
  );
  return Buffer.concat([...numbers, Buffer.from(hot.publisher)]);
}

/** Changes some parts. No script of the tenant may run meanwhile. */
export async function changeHot(redis: Redis | RedisClient, tenant: string, changes: Partial<Hot>): Promise<void> {
  await redis.hset(tenantKey(tenant), 'hot', packHot({ ...(await hotOf(redis, tenant)), ...changes }));
}

/** Sets or clears one flag. */
export async function changeFlag(
  redis: Redis | RedisClient,
  tenant: string,
  flag: keyof typeof FLAGS,
  isSet: boolean,
): Promise<void> {
  const { flags } = await hotOf(redis, tenant);
  await changeHot(redis, tenant, { flags: (flags & ~FLAGS[flag]) | (isSet ? FLAGS[flag] : 0) });
}

/** Sets the settings for leases and notes (lua/reservations/terms.lua); '' none. */
export async function setTerms(redis: Redis | RedisClient, tenant: string, terms: string): Promise<void> {
  await redis.hset(tenantKey(tenant), 'terms', terms);
  await changeFlag(redis, tenant, 'terms', terms !== '');
}
