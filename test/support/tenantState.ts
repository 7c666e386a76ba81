/**
 * The data of a tenant in Redis: to be compared, and put back.
 */
import type { Redis } from 'ioredis';

const text = (value: Buffer) => value.toString('latin1');

/** Returns the content of keys, by key. Fields and members that Redis orders as it likes are sorted. */
export async function storedIn(redis: Redis, keys: readonly string[]): Promise<Record<string, unknown>> {
  const found = await Promise.all(keys.map(async (key) => [key, await contentOf(redis, key)] as const));
  return Object.fromEntries(found.filter(([, value]) => value !== null));
}

async function contentOf(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return pairsOf(await redis.callBuffer('HGETALL', key)).sort();
    case 'zset':
      return redis.zrange(key, '0', '-1', 'WITHSCORES');
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

/** Returns the fields and values of a hash, byte by byte. */
function pairsOf(list: unknown): string[] {
  const parts = Array.isArray(list) ? list.map((part: unknown) => (part instanceof Buffer ? text(part) : '')) : [];
  return parts.flatMap((part, i) => (i % 2 === 0 ? [JSON.stringify([part, parts[i + 1]])] : []));
}

/** A state of some keys that restore() puts back. */
export type Snapshot = ReadonlyMap<string, Buffer | null>;

export async function snapshotOf(redis: Redis, keys: readonly string[]): Promise<Snapshot> {
  return new Map(await Promise.all(keys.map(async (key) => [key, await redis.dumpBuffer(key)] as const)));
}

export async function restore(redis: Redis, snapshot: Snapshot): Promise<void> {
  await Promise.all(
    [...snapshot].map(([key, dump]) => (dump === null ? redis.del(key) : redis.restore(key, 0, dump, 'REPLACE'))),
  );
}
