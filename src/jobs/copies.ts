/**
 * Compares what changed in the database with the working copies in Redis, and brings copies that are behind up to
 * date: a change whose instance died halfway leaves one.
 */
import type { Logger } from 'pino';
import type { WorkingCopy } from '../definitions/workingCopy.ts';
import type { Job } from './job.ts';

const EVERY_MS = 10_000;
/** How far a turn looks back before the last one: changes become visible later than the time that they carry. */
const LOOK_BACK_MS = 60_000;
/** How far the first turn of a worker looks back. */
const FIRST_LOOK_BACK_MS = 86_400_000;

export function copiesJob(copy: WorkingCopy, log: Logger): Job {
  let since = Date.now() - FIRST_LOOK_BACK_MS;
  return {
    name: 'copies',
    everyMs: EVERY_MS,
    turn: async () => {
      const start = Date.now();
      const refreshed = await copy.refreshChanged(new Date(since));
      const purged = await copy.purgeDeleted(new Date(since));
      since = start - LOOK_BACK_MS;
      if (refreshed > 0) log.warn({ refreshed }, 'working copies were behind the database');
      if (purged > 0) log.warn({ purged }, 'Redis had tenants that were deleted from the database');
    },
  };
}
