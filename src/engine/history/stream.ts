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
 * @param from the id of an entry: only this and older ones are read
 * @throws HoldfastError unavailable
 */
export async function* newestFirst(
  redis: RedisClient,
  tenant: string,
  from: string | undefined,
): AsyncGenerator<StreamEntry> {
  let end = from ?? '+';
  for (;;) {
    const found = await send(() => redis.xrevrangeBuffer(historyKey(tenant), end, '-', 'COUNT', PAGE));
    for (const entry of found) yield* toEntries(entry).reverse();
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    end = `(${last[0].toString()}`;
  }
}

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
    if (field !== undefined && value !== undefined)
      entries.push({ id: id.toString(), place: i / 2, field: field.toString(), value });
  }
  return entries;
}

/** When an entry was written, in ms since 1970 UTC: no entry is before its end. */
export const writtenAt = ({ id }: StreamEntry): number => Number(id.split('-', 1)[0]);
