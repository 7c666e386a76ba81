/**
 * Copies the counts of refusals from Redis to the database, and deletes those that the tenants' tiers no longer keep
 * (docs/specification.md#refusals). Runs every 5 minutes.
 */
import type { Job } from './job.ts';

const EVERY_MS = 300_000;
/** How far a turn looks back before the last one: the clocks of instances differ, and turns overlap. */
const LOOK_BACK_MS = 10_000;
/** How far the first turn of a worker looks back: as long as Redis knows which tenants were active. */
const FIRST_LOOK_BACK_MS = 86_400_000;

/** @param copy copies the hours since a time, in ms since 1970 UTC */
export function refusalsJob(deleteOld: () => Promise<unknown>, copy: (sinceMs: number) => Promise<unknown>): Job {
  let since = Date.now() - FIRST_LOOK_BACK_MS;
  return {
    name: 'refusals',
    everyMs: EVERY_MS,
    turn: async () => {
      const start = Date.now();
      await copy(since);
      since = start - LOOK_BACK_MS;
      await deleteOld();
    },
  };
}
