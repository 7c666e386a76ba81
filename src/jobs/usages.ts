/**
 * Copies what tenants use from Redis to the database, for administrators. Runs every 10 s.
 */
import type { Job } from './job.ts';

const EVERY_MS = 10_000;
/** How far a turn looks back before the last one: the clocks of instances differ, and turns overlap. */
const LOOK_BACK_MS = 5000;
/** How far the first turn of a worker looks back. */
const FIRST_LOOK_BACK_MS = 3_600_000;

/** @param copy copies the numbers of tenants that have been active since a time, in ms since 1970 UTC */
export function usagesJob(copy: (sinceMs: number) => Promise<unknown>): Job {
  let since = Date.now() - FIRST_LOOK_BACK_MS;
  return {
    name: 'usages',
    everyMs: EVERY_MS,
    turn: async () => {
      const start = Date.now();
      await copy(since);
      since = start - LOOK_BACK_MS;
    },
  };
}
