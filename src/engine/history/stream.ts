/**
 * Reads and empties the stream of a tenant's ended reservations and waits (lua/history/ended.lua), to move it.
 */
import type { RedisClient } from '../../redis/client.ts';
import { historyKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import type { StreamField } from './pastEntry.ts';

/** A reservation or wait, and the id of its entry: `<ms>-<number>`. */
export type StreamEntry = StreamField & { readonly id: string };

/**
 * Reads the oldest entries, oldest first.
 * @param after the id of an entry: only newer ones are read
 * @param limit entries of the stream. Each has up to 10 reservations or waits, which have its id
 * @throws HoldfastError unavailable
 */
export async function oldest(
  redis: RedisClient,
  tenant: string,
  after: string | undefined,
  limit: number,
): Promise<{ readonly entries: StreamEntry[]; readonly isLast: boolean }> {
  const start = after === undefined ? '-' : `(${after}`;
  const found = await send(() => redis.xrangeBuffer(historyKey(tenant), start, '+', 'COUNT', limit));
  return { entries: found.flatMap(toEntries), isLast: found.length < limit };
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

/** The reservations and waits of an entry, as they ended. */
function toEntries([id, fields]: [Buffer, Buffer[]]): StreamEntry[] {
  const entries: StreamEntry[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [field, value] = [fields[i], fields[i + 1]];
    if (field !== undefined && value !== undefined) entries.push({ id: id.toString(), field: field.toString(), value });
  }
  return entries;
}
