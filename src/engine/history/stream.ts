/**
 * The stream of a tenant's ended reservations and waits (lua/history/ended.lua): reads and empties it to move it to the
 * database, lists the tenants whose stream may have entries, and writes into it what a reset has ended.
 */

import { KEPT_ENTRIES } from '../../domain/history.ts';
import type { RedisClient } from '../../redis/client.ts';
import { historyKey, keysOf, WAITING_HISTORIES_KEY } from '../../redis/keys.ts';
import { parseReply, toInteger, toText } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';
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

/**
 * Writes what a reset ended into the history, in pieces: the reset itself takes constant time and only puts it aside.
 * @param room entries that the history may have before a piece is added: beyond it, the newest would displace entries
 * that nobody has moved yet
 * @param most entries to write; what is left then is dropped. Infinity: all
 * @returns whether nothing is left: false if the history is full
 * @throws HoldfastError unavailable
 */
export async function keepReset(
  redis: RedisClient,
  tenant: string,
  { room, most }: { readonly room: number; readonly most: number },
): Promise<boolean> {
  let cursor = '0';
  for (let written = 0; cursor !== ''; ) {
    const args = [cursor, room, written >= most ? '1' : ''];
    const [, next, count] = parseReply(await runScript(redis, 'keepReset', ...keysOf('keepReset', tenant), ...args));
    const isFull = toText(next) === cursor && toInteger(count) === 0;
    if (isFull) return false;
    cursor = toText(next);
    written += toInteger(count);
  }
  return true;
}

/**
 * Writes what a reset ended into a history of which only the newest entries are kept: it may displace older ones.
 * @throws HoldfastError unavailable
 */
export async function keepNewest(redis: RedisClient, tenant: string): Promise<void> {
  await keepReset(redis, tenant, { room: Number.MAX_SAFE_INTEGER, most: KEPT_ENTRIES });
}

/** Tenants that one command adds or takes: well below 1 ms of Redis. */
const PAGE = 500;

/**
 * The tenants whose history may have to be moved to the database, each with the time since when: those that were
 * active, and those in which a sweep ended something. The job `history` empties the list.
 */
export interface WaitingHistory {
  readonly tenant: string;
  /** ms since 1970 UTC */
  readonly sinceMs: number;
}

/**
 * Adds tenants. Those that are in the list keep the earlier time.
 * @throws HoldfastError unavailable
 */
export async function addWaiting(redis: RedisClient, waiting: readonly WaitingHistory[]): Promise<void> {
  for (let i = 0; i < waiting.length; i += PAGE) {
    const members = waiting.slice(i, i + PAGE).flatMap(({ tenant, sinceMs }) => [String(sinceMs), tenant]);
    await send(() => redis.zadd(WAITING_HISTORIES_KEY, 'LT', ...members));
  }
}

/**
 * Adds a tenant if its stream in Redis has entries.
 * @throws HoldfastError unavailable
 */
export async function addIfWaiting(redis: RedisClient, tenant: string): Promise<void> {
  if ((await countEntries(redis, tenant)) > 0) await addWaiting(redis, [{ tenant, sinceMs: Date.now() }]);
}

/**
 * Takes all tenants from the list, those that have waited longest first. No other worker gets them.
 * @throws HoldfastError unavailable
 */
export async function takeWaiting(redis: RedisClient): Promise<WaitingHistory[]> {
  const taken: WaitingHistory[] = [];
  for (;;) {
    const rows = await send(() => redis.zpopmin(WAITING_HISTORIES_KEY, PAGE));
    for (let i = 0; i < rows.length; i += 2) taken.push({ tenant: rows[i] ?? '', sinceMs: Number(rows[i + 1]) });
    if (rows.length < 2 * PAGE) return taken;
  }
}

/**
 * Returns how long the tenant that waits longest has waited.
 * @returns ms; 0 if none waits
 * @throws HoldfastError unavailable
 */
export async function longestWaitingMs(redis: RedisClient): Promise<number> {
  const [, sinceMs] = await send(() => redis.zrange(WAITING_HISTORIES_KEY, '0', '0', 'WITHSCORES'));
  return sinceMs === undefined ? 0 : Math.max(0, Date.now() - Number(sinceMs));
}
