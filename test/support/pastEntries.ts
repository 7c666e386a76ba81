/**
 * Entries of a tenant's history, as scripts write them to its stream in Redis (lua/lib/history.lua, codec.lua).
 */
import type { RedisClient } from '../../src/redis/client.ts';
import { historyKey } from '../../src/redis/keys.ts';
import { send } from '../../src/redis/send.ts';

export interface Past {
  /** When it ended, in ms since 1970 UTC. */
  readonly at: number;
  /** Its fencing token. */
  readonly number: number;
  readonly resource?: string;
  readonly requester?: string;
}

/** The value of an entry for a released reservation of a plain name, which was held for a second. */
export function released({ at, number, resource = 'printer', requester = 'me' }: Past): Buffer {
  const times = Buffer.alloc(19);
  // 7 bytes for the fencing token, 6 for each of the times.
  times.writeUIntBE(Math.floor(number / 2 ** 48), 0, 1);
  times.writeUIntBE(number % 2 ** 48, 1, 6);
  times.writeUIntBE(at - 1000, 7, 6);
  const token = 'x'.repeat(22);
  return Buffer.concat([
    Buffer.from(`${resource}\n\n\u0002${requester}\0`),
    times,
    Buffer.from(`${token}Device\0worker\0`),
  ]);
}

/** Adds entries to a tenant's stream, with ids that begin with their times. */
export async function addPast(redis: RedisClient, tenant: string, entries: readonly Past[]): Promise<void> {
  await Promise.all(
    entries.map((entry) => send(() => redis.xadd(historyKey(tenant), `${entry.at}-*`, 'R', released(entry)))),
  );
}

/** Entries that ended one after the other, a millisecond apart, the last one at a time. */
export const pastUntil = (at: number, count: number, more: Partial<Past> = {}): Past[] =>
  Array.from({ length: count }, (_, i) => ({ at: at - count + 1 + i, number: i + 1, ...more }));
