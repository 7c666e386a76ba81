/**
 * Reads the stream of a tenant's ended reservations and waits (lua/lib/history.lua).
 */
import type { RedisClient } from '../../redis/client.ts';
import { historyKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import type { StreamEntry } from './pastEntry.ts';

/** Entries that one command reads: well below 1 ms of Redis. */
const PAGE = 500;

/**
 * Reads entries, the newest first.
 * @param before the id of an entry: only older ones are read
 * @throws HoldfastError unavailable
 */
export async function* newestFirst(
  redis: RedisClient,
  tenant: string,
  before: string | undefined,
): AsyncGenerator<StreamEntry> {
  let end = before === undefined ? '+' : `(${before}`;
  for (;;) {
    const found = await send(() => redis.xrevrangeBuffer(historyKey(tenant), end, '-', 'COUNT', PAGE));
    for (const entry of found) yield toEntry(entry);
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    end = `(${last[0].toString()}`;
  }
}

/**
 * Reads the oldest entries, oldest first.
 * @throws HoldfastError unavailable
 */
export async function oldest(redis: RedisClient, tenant: string, limit: number): Promise<StreamEntry[]> {
  const found = await send(() => redis.xrangeBuffer(historyKey(tenant), '-', '+', 'COUNT', limit));
  return found.map(toEntry);
}

const toEntry = ([id, [field, value]]: [Buffer, Buffer[]]): StreamEntry => {
  if (field === undefined || value === undefined) throw new TypeError('an entry of the history has no field');
  return { id: id.toString(), field: field.toString(), value };
};
