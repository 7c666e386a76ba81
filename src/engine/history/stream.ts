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
 * @param after the id of an entry: only newer ones are read
 * @throws HoldfastError unavailable
 */
export async function oldest(
  redis: RedisClient,
  tenant: string,
  after: string | undefined,
  limit: number,
): Promise<StreamEntry[]> {
  const start = after === undefined ? '-' : `(${after}`;
  const found = await send(() => redis.xrangeBuffer(historyKey(tenant), start, '+', 'COUNT', limit));
  return found.map(toEntry);
}

/**
 * Counts the entries.
 * @throws HoldfastError unavailable
 */
export const countEntries = (redis: RedisClient, tenant: string): Promise<number> =>
  send(() => redis.xlen(historyKey(tenant)));

/**
 * Deletes entries. It takes their ids, not all up to one: after a failover there may be others among them.
 * @throws HoldfastError unavailable
 */
export const deleteFromStream = (redis: RedisClient, tenant: string, ids: readonly string[]): Promise<number> =>
  send(() => redis.xdel(historyKey(tenant), ...ids));

const toEntry = ([id, [field, value]]: [Buffer, Buffer[]]): StreamEntry => {
  if (field === undefined || value === undefined) throw new TypeError('an entry of the history has no field');
  return { id: id.toString(), field: field.toString(), value };
};
