/**
 * The tenants whose history may have to be moved to the database, each with the time since when: those that were
 * active, and those in which a sweep ended something. The job `history` empties the list.
 */
import type { RedisClient } from '../../redis/client.ts';
import { WAITING_HISTORIES_KEY } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import { countEntries } from './stream.ts';

/** Tenants that one command adds or takes: well below 1 ms of Redis. */
const PAGE = 500;

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
