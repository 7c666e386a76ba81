/**
 * Deletes the libraries of functions that other versions have left in Redis (docs/operations/redis.md#functions).
 */
import type { Logger } from 'pino';
import type { Job } from './job.ts';

const EVERY_MS = 3_600_000;

/** @param deleteOld returns the names of the deleted libraries */
export const librariesJob = (deleteOld: () => Promise<string[]>, log: Logger): Job => ({
  name: 'libraries',
  everyMs: EVERY_MS,
  turn: async () => {
    const deleted = await deleteOld();
    if (deleted.length > 0) log.info({ deleted }, 'libraries of other versions are deleted from Redis');
  },
});
