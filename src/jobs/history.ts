/**
 * Moves the history of reservations from Redis to the database, and drops what is no longer kept
 * (docs/specification.md#history).
 */
import type { Logger } from 'pino';
import type { Job } from './job.ts';

const EVERY_MS = 5000;
/** How long a turn may take. */
const WITHIN_MS = 4000;
/** How far a turn looks back before the last one: the clocks of instances differ, and turns overlap. */
const LOOK_BACK_MS = 5000;
/** How far the first turn of a worker looks back. */
const FIRST_LOOK_BACK_MS = 3_600_000;
/** How long entries may wait before the log says so. */
const BEHIND_MS = 60_000;
const DROP_EVERY_MS = 300_000;

/**
 * @param move moves the histories of tenants that have been active since a time (ms since 1970 UTC), for at most some
 * ms. Returns the number of entries
 * @param longestWaitingMs returns how long entries have waited
 */
export function historyJob(
  move: (sinceMs: number, withinMs: number) => Promise<number>,
  longestWaitingMs: () => Promise<number>,
  onMoved: (entries: number) => void,
  log: Logger,
): Job {
  let since = Date.now() - FIRST_LOOK_BACK_MS;
  return {
    name: 'history',
    everyMs: EVERY_MS,
    turn: async () => {
      const start = Date.now();
      onMoved(await move(since, WITHIN_MS));
      since = start - LOOK_BACK_MS;
      const waitingMs = await longestWaitingMs();
      if (waitingMs > BEHIND_MS)
        log.warn({ waitingMs }, 'the history of reservations waits to be moved to the database');
    },
  };
}

/** @param drop drops what is no longer kept. Returns the names of partitions that were dropped */
export const oldHistoryJob = (drop: () => Promise<readonly string[]>, log: Logger): Job => ({
  name: 'oldHistory',
  everyMs: DROP_EVERY_MS,
  turn: async () => {
    const dropped = await drop();
    if (dropped.length > 0) log.info({ dropped }, 'old history of reservations is dropped');
  },
});
