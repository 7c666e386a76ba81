/**
 * The jobs that run in the background, each at regular intervals, on one of the workers at a time.
 */
import type { Logger } from 'pino';
import type { WorkingCopy } from '../definitions/workingCopy.ts';
import { reconcile } from '../engine/expiry/reconcile.ts';
import { type Swept, sweep } from '../engine/expiry/sweep.ts';
import type { RedisClient } from '../redis/client.ts';

export interface Job {
  /** The name of its queue, in metrics and in logs. Workers of other versions use the same queue. */
  readonly name: string;
  readonly everyMs: number;
  /** Runs once. An error is logged and does not keep later runs from starting. Two runs may overlap. */
  readonly run: () => Promise<void>;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Maximum number of tenants that one line of the log names. */
const MAX_LOGGED = 20;

/**
 * Ends expired reservations that no request has ended (docs/specification.md#expiry).
 * @param onSwept called after each sweep with what it did
 */
export const expiryJob = (redis: RedisClient, onSwept: (swept: Swept) => Promise<void>, log: Logger): Job => ({
  name: 'expiry',
  everyMs: SECOND_MS,
  run: async () => {
    const swept = await sweep(redis);
    await onSwept(swept);
    const { ended, stuckQueues } = swept;
    if (ended > 0) log.debug({ ended }, 'expired reservations ended');
    if (stuckQueues.length > 0)
      log.error({ tenants: stuckQueues.slice(0, MAX_LOGGED) }, 'queues did not move by themselves');
  },
});

/**
 * Checks the due index against every tenant and puts back what is missing: a failover can lose entries.
 * @param alsoDo what else is done with each tenant
 */
export const reconciliationJob = (
  redis: RedisClient,
  log: Logger,
  alsoDo?: (tenant: string) => Promise<void>,
): Job => ({
  name: 'reconciliation',
  everyMs: MINUTE_MS,
  run: async () => {
    const repaired = await reconcile(redis, alsoDo);
    if (repaired > 0) log.warn({ repaired }, 'tenants were missing from the due index');
  },
});

/**
 * Deletes the libraries of functions that other versions have left in Redis (docs/operations/redis.md#functions).
 * @param deleteOld returns the names of the deleted libraries
 */
export const librariesJob = (deleteOld: () => Promise<string[]>, log: Logger): Job => ({
  name: 'libraries',
  everyMs: HOUR_MS,
  run: async () => {
    const deleted = await deleteOld();
    if (deleted.length > 0) log.info({ deleted }, 'libraries of other versions are deleted from Redis');
  },
});

/**
 * Compares what changed in the database with the working copies in Redis, and brings copies that are behind up to
 * date: a change whose instance died halfway leaves one.
 */
export const copiesJob = (copy: WorkingCopy, log: Logger): Job => ({
  name: 'copies',
  everyMs: 10 * SECOND_MS,
  // Changes become visible later than the time that they carry.
  run: sinceTheLast({ lookBackMs: MINUTE_MS, firstLookBackMs: DAY_MS }, async (sinceMs) => {
    const refreshed = await copy.refreshChanged(new Date(sinceMs));
    const purged = await copy.purgeDeleted(new Date(sinceMs));
    return () => {
      if (refreshed > 0) log.warn({ refreshed }, 'working copies were behind the database');
      if (purged > 0) log.warn({ purged }, 'Redis had tenants that were deleted from the database');
    };
  }),
});

/** Longest time for which entries of the history may wait before the log says so. */
const BEHIND_MS = MINUTE_MS;
/** Time that a run that moves the history may take. */
const MOVE_WITHIN_MS = 4 * SECOND_MS;

/**
 * Moves the history of reservations from Redis to the database (docs/specification.md#history).
 * @param move moves the histories of tenants that have been active since a time (ms since 1970 UTC), for at most some
 * ms. Returns the number of entries
 * @param longestWaitingMs returns how long entries have waited
 */
export const historyJob = (
  move: (sinceMs: number, withinMs: number) => Promise<number>,
  longestWaitingMs: () => Promise<number>,
  onMoved: (entries: number) => void,
  log: Logger,
): Job => ({
  name: 'history',
  everyMs: 5 * SECOND_MS,
  run: sinceTheLast({ lookBackMs: 5 * SECOND_MS, firstLookBackMs: HOUR_MS }, async (sinceMs) => {
    onMoved(await move(sinceMs, MOVE_WITHIN_MS));
    return async () => {
      const waitingMs = await longestWaitingMs();
      if (waitingMs > BEHIND_MS)
        log.warn({ waitingMs }, 'the history of reservations waits to be moved to the database');
    };
  }),
});

/**
 * Drops what of the history is no longer kept.
 * @param drop returns the names of partitions that were dropped
 */
export const oldHistoryJob = (drop: () => Promise<readonly string[]>, log: Logger): Job => ({
  name: 'oldHistory',
  everyMs: 5 * MINUTE_MS,
  run: async () => {
    const dropped = await drop();
    if (dropped.length > 0) log.info({ dropped }, 'old history of reservations is dropped');
  },
});

/**
 * Deletes entries of the audit trail that are older than the tenants' tiers keep them
 * (docs/specification.md#audit-trail).
 * @param deleteOld returns the number of deleted entries
 */
export const auditJob = (deleteOld: () => Promise<number>, log: Logger): Job => ({
  name: 'audit',
  everyMs: HOUR_MS,
  run: async () => {
    const deleted = await deleteOld();
    if (deleted > 0) log.info({ deleted }, 'old entries of the audit trail are deleted');
  },
});

/**
 * Copies the counts of refusals from Redis to the database, and deletes those that the tenants' tiers no longer keep
 * (docs/specification.md#refusals).
 * @param copy copies the hours since a time, in ms since 1970 UTC
 */
export const refusalsJob = (deleteOld: () => Promise<unknown>, copy: (sinceMs: number) => Promise<unknown>): Job => ({
  name: 'refusals',
  everyMs: 5 * MINUTE_MS,
  // The first run looks back as long as Redis knows which tenants were active.
  run: sinceTheLast({ lookBackMs: 10 * SECOND_MS, firstLookBackMs: DAY_MS }, async (sinceMs) => {
    await copy(sinceMs);
    return deleteOld;
  }),
});

/**
 * Copies what is out of service from Redis to the database (docs/specification.md#condition).
 * @param copy copies the lists of tenants that have been active since a time, in ms since 1970 UTC
 */
export const outOfServiceJob = (copy: (sinceMs: number) => Promise<unknown>): Job => ({
  name: 'outOfService',
  everyMs: 5 * SECOND_MS,
  // The first run looks back as long as Redis knows which tenants were active.
  run: sinceTheLast({ lookBackMs: 5 * SECOND_MS, firstLookBackMs: DAY_MS }, async (sinceMs) => {
    await copy(sinceMs);
    return () => {};
  }),
});

/**
 * Copies bookings between Redis and the database (docs/specification.md#where-bookings-live).
 * @param lookAfter looks after the bookings of all tenants
 */
export const bookingsJob = (lookAfter: () => Promise<void>): Job => ({
  name: 'bookings',
  everyMs: 3 * SECOND_MS,
  run: lookAfter,
});

/**
 * Deletes bookings from the database that have been over for long.
 * @param deleteOld returns the number of deleted bookings
 */
export const oldBookingsJob = (deleteOld: () => Promise<number>, log: Logger): Job => ({
  name: 'oldBookings',
  everyMs: HOUR_MS,
  run: async () => {
    const deleted = await deleteOld();
    if (deleted > 0) log.info({ deleted }, 'old bookings are deleted');
  },
});

/**
 * Copies what tenants use from Redis to the database, for administrators.
 * @param copy copies the numbers of tenants that have been active since a time, in ms since 1970 UTC
 */
export const usagesJob = (copy: (sinceMs: number) => Promise<unknown>): Job => ({
  name: 'usages',
  everyMs: 10 * SECOND_MS,
  run: sinceTheLast({ lookBackMs: 5 * SECOND_MS, firstLookBackMs: HOUR_MS }, async (sinceMs) => {
    await copy(sinceMs);
    return () => {};
  }),
});

/**
 * Makes runs that look at what happened since the last one that succeeded. They look back a little further, since the
 * clocks of instances differ and runs overlap.
 * @param firstLookBackMs how far the first run of a worker looks back
 * @param look looks at what happened since a time, in ms since 1970 UTC. Returns what else the run does
 */
function sinceTheLast(
  { lookBackMs, firstLookBackMs }: { readonly lookBackMs: number; readonly firstLookBackMs: number },
  look: (sinceMs: number) => Promise<() => unknown>,
): () => Promise<void> {
  let sinceMs = Date.now() - firstLookBackMs;
  return async () => {
    const start = Date.now();
    const rest = await look(sinceMs);
    sinceMs = start - lookBackMs;
    await rest();
  };
}
