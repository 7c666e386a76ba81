/**
 * How long Redis was busy at most with one command, from its slow log. That goes by the clock: whatever else runs on
 * Redis's core counts too.
 */
import { z } from 'zod';
import type { RedisClient } from '../src/redis/client.ts';
import { figureOf } from './rounds.ts';
import type { Measurement } from './table.ts';

/** What takes less is not looked at. */
const SLOW_US = 500;
/** No command may keep Redis from others for longer. */
const TARGET_MS = 10;

/** id, time, µs, and what does not matter here */
const Entries = z.array(z.tuple([z.number(), z.number(), z.number()]).rest(z.unknown()));

/** Begins to watch, for what takes longer than so many µs. */
export async function watchSlow(redis: RedisClient, slowerThanUs = SLOW_US): Promise<void> {
  await redis.config('SET', 'slowlog-log-slower-than', slowerThanUs, 'slowlog-max-len', 10_000);
  await redis.slowlog('RESET');
}

/** ms of the longest command since; where none was slow enough, what would have been. */
export async function longestMs(redis: RedisClient, slowerThanUs = SLOW_US): Promise<number> {
  const times = Entries.parse(await redis.slowlog('GET', -1)).map(([, , us]) => us);
  return Math.max(slowerThanUs, ...times) / 1000;
}

/** A row of the longest command since it was watched, and begins anew. */
export async function slowest(redis: RedisClient, during: string): Promise<Measurement> {
  const longest = await longestMs(redis);
  await redis.slowlog('RESET');
  return longestRow(during, longest);
}

/** A row of the longest command. */
export const longestRow = (during: string, ms: number): Measurement => ({
  what: `longest Redis command: ${during}`,
  figure: figureOf([ms]),
  unit: 'ms',
  target: { of: 'figure', atMost: TARGET_MS },
});
