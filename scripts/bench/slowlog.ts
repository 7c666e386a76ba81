/**
 * How long Redis was busy at most with one command, from its slow log.
 */

import { z } from 'zod';
import type { RedisClient } from '../../src/engine/redis.ts';

/** id, time, µs, and what does not matter here */
const Entries = z.array(z.tuple([z.number(), z.number(), z.number()]).rest(z.unknown()));

/** Begins to watch, for what takes longer than so many µs. */
export async function watchSlow(redis: RedisClient, slowerThanUs: number): Promise<void> {
  await redis.config('SET', 'slowlog-log-slower-than', slowerThanUs, 'slowlog-max-len', 10_000);
  await redis.slowlog('RESET');
}

/** ms of the longest command since; null where none was slow enough. */
export async function longestMs(redis: RedisClient): Promise<number | null> {
  const times = Entries.parse(await redis.slowlog('GET', -1)).map(([, , us]) => us / 1000);
  return times.length === 0 ? null : Math.max(...times);
}
