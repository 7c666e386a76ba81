/**
 * Reads and changes the packed field of a tenant's hash (src/redis/layouts.ts), which scripts keep.
 */
import type { Redis } from 'ioredis';
import type { RedisClient } from '../../src/redis/client.ts';
import { tenantKey } from '../../src/redis/keys.ts';
import { BOX_NUMBERS, type Box, HOT_NUMBERS, type Hot, readHot } from '../../src/redis/layouts.ts';

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
  notices: 256,
  bookings: 512,
};

/** An empty outbox that wants all types of events. */
export const WANTS_ALL: Box = { types: 2 ** 32 - 1, personTypes: 0, from: 0, to: 0, entries: 0, events: 0, missed: 0 };

/** A quota of which nothing is used. */
export const UNUSED = { minuteStart: 0, minute: 0, day: 0, today: 0 };

export const hotOf = async (redis: Redis | RedisClient, tenant: string): Promise<Hot> =>
  readHot(await redis.hgetBuffer(tenantKey(tenant), 'hot'));

export function packHot(hot: Hot): Buffer {
  const bytesOf = (value: number, bytes: number) =>
    Buffer.from(
      BigInt(value)
        .toString(16)
        .padStart(2 * bytes, '0'),
      'hex',
    );
  const numbers = HOT_NUMBERS.map(([name, bytes]) => bytesOf(hot[name], bytes));
  const { box } = hot;
  const ofBox = box === null ? [] : BOX_NUMBERS.map(([name, bytes]) => bytesOf(box[name], bytes));
  return Buffer.concat([...numbers, Buffer.from(`${hot.publisher}\0`), ...ofBox]);
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
  const changed = { flags: (flags & ~FLAGS[flag]) | (isSet ? FLAGS[flag] : 0) };
  await changeHot(redis, tenant, flag === 'notices' ? { ...changed, box: isSet ? WANTS_ALL : null } : changed);
}

/** Sets the settings for leases and notes (lua/reservations/terms.lua); '' none. */
export async function setTerms(redis: Redis | RedisClient, tenant: string, terms: string): Promise<void> {
  await redis.hset(tenantKey(tenant), 'terms', terms);
  await changeFlag(redis, tenant, 'terms', terms !== '');
}

/**
 * Makes Redis forget a tenant, as a flush does, but no other test's.
 */

export async function forget(redis: RedisClient, tenant: string): Promise<void> {
  const keys = await redis.keys(`{${tenant}}:*`);
  if (keys.length > 0) await redis.del(...keys);
}

/**
 * The data of a tenant in Redis: to be compared, and put back.
 */

/** Returns bytes as a text of as many characters. */
export const text = (value: Buffer) => value.toString('latin1');

/** Returns the content of keys, by key. Fields and members that Redis orders as it likes are sorted. */
export async function storedIn(redis: Redis | RedisClient, keys: readonly string[]): Promise<Record<string, unknown>> {
  const found = await Promise.all(keys.map(async (key) => [key, await contentOf(redis, key)] as const));
  return Object.fromEntries(found.filter(([, value]) => value !== null));
}

async function contentOf(redis: Redis | RedisClient, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return pairsOf(await redis.callBuffer('HGETALL', key)).sort();
    case 'zset':
      return (await redis.zrangeBuffer(key, '0', '-1', 'WITHSCORES')).map(text);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return (await redis.smembers(key)).sort();
    case 'stream':
      // The ids are the time at which the entries were written.
      return (await redis.xrangeBuffer(key, '-', '+')).map(([, fields]) => fields.map(text));
    case 'string':
      return redis.getBuffer(key).then((value) => value && text(value));
    default:
      return null;
  }
}

/**
 * Returns the fields and values of a hash, byte by byte: hgetallBuffer() would read fields as UTF-8.
 * @param list what HGETALL returns
 */
export function pairsOf(list: unknown): string[] {
  const parts = Array.isArray(list) ? list.map((part: unknown) => (part instanceof Buffer ? text(part) : '')) : [];
  return parts.flatMap((part, i) => (i % 2 === 0 ? [JSON.stringify([part, parts[i + 1]])] : []));
}

/** A state of some keys that restore() puts back. */
export type Snapshot = ReadonlyMap<string, Buffer | null>;

export async function snapshotOf(redis: Redis | RedisClient, keys: readonly string[]): Promise<Snapshot> {
  return new Map(await Promise.all(keys.map(async (key) => [key, await redis.dumpBuffer(key)] as const)));
}

/** Returns true if keys are byte for byte as they were. If not, Redis may only have put fields in another order. */
export async function isStill(redis: Redis | RedisClient, snapshot: Snapshot): Promise<boolean> {
  const now = await snapshotOf(redis, [...snapshot.keys()]);
  return [...snapshot].every(([key, dump]) => {
    const found = now.get(key) ?? null;
    return dump === null || found === null ? dump === found : dump.equals(found);
  });
}

export async function restore(redis: Redis | RedisClient, snapshot: Snapshot): Promise<void> {
  await Promise.all(
    [...snapshot].map(([key, dump]) => (dump === null ? redis.del(key) : redis.restore(key, 0, dump, 'REPLACE'))),
  );
}
