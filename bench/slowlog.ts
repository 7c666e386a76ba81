/**
 * Finds the longest command in Redis's slow log. The log measures elapsed time, which includes other processes on
 * Redis's core.
 */
import { z } from 'zod';
import type { RedisClient } from '../src/redis/client.ts';
import { figureOf } from './rounds.ts';
import type { Measurement } from './table.ts';

/** Shorter commands are not logged. */
const SLOW_US = 500;
/** The longest time that a command may block Redis. */
const TARGET_MS = 10;

/** id, time, µs, and fields that are not used here */
const Entries = z.array(z.tuple([z.number(), z.number(), z.number()]).rest(z.unknown()));

/** Starts to log commands that take longer than this, in µs. */
export async function watchSlow(redis: RedisClient, slowerThanUs = SLOW_US): Promise<void> {
  await redis.config('SET', 'slowlog-log-slower-than', slowerThanUs, 'slowlog-max-len', 10_000);
  await redis.slowlog('RESET');
}

/** Returns the time of the longest command since then in ms; the threshold if none was logged. */
export async function longestMs(redis: RedisClient, slowerThanUs = SLOW_US): Promise<number> {
  const times = Entries.parse(await redis.slowlog('GET', -1)).map(([, , us]) => us);
  return Math.max(slowerThanUs, ...times) / 1000;
}

/** Makes a row for the longest command since then, and starts again. */
export async function slowest(redis: RedisClient, during: string): Promise<Measurement> {
  const longest = await longestMs(redis);
  await redis.slowlog('RESET');
  return longestRow(during, longest);
}

/** Makes a row for the longest command. */
export const longestRow = (during: string, ms: number): Measurement => ({
  what: `longest Redis command: ${during}`,
  figure: figureOf([ms]),
  unit: 'ms',
  target: { of: 'figure', atMost: TARGET_MS },
});
