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

/** Returns the times of the commands that were logged since then in ms, the longest first. */
async function loggedMs(redis: RedisClient): Promise<number[]> {
  const times = Entries.parse(await redis.slowlog('GET', -1)).map(([, , us]) => us / 1000);
  return times.sort((a, b) => b - a);
}

/** Returns the time of the longest command since then in ms; the threshold if none was logged. */
export const longestMs = async (redis: RedisClient, slowerThanUs = SLOW_US): Promise<number> =>
  (await loggedMs(redis))[0] ?? slowerThanUs / 1000;

/** Makes a row for the longest command since then, and starts again. */
export async function slowest(redis: RedisClient, during: string): Promise<Measurement> {
  const longest = await longestMs(redis);
  await redis.slowlog('RESET');
  return longestRow(during, longest);
}

/** As long as a batch of 500. */
const SAME = `local n = 0 for i = 1, 15000 do n = n + #('n' .. i) end return n`;
const SAME_CALLS = 2000;

/** Makes a row for the longest call of a script that always does the same: what the machine alone adds to a command. */
export async function longestOfSame(redis: RedisClient): Promise<Measurement> {
  await redis.slowlog('RESET');
  for (let i = 0; i < SAME_CALLS; i++) await redis.eval(SAME, 0);
  const times = await loggedMs(redis);
  await redis.slowlog('RESET');
  return {
    what: 'longest Redis command: a script that always does the same, 2,000 times',
    figure: figureOf(times.slice(0, 1)),
    unit: 'ms',
    beside: { what: 'median of the 2,000', figure: figureOf([times[times.length >> 1] ?? Number.NaN]) },
  };
}

/** Makes a row for the longest command. */
export const longestRow = (during: string, ms: number): Measurement => ({
  what: `longest Redis command: ${during}`,
  figure: figureOf([ms]),
  unit: 'ms',
  target: { of: 'figure', atMost: TARGET_MS },
});
