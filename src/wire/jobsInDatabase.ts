/**
 * The background jobs that need a database, and what a database adds to the others.
 */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { WorkingCopy } from '../definitions/workingCopy.ts';
import type { Swept } from '../engine/expiry/sweep.ts';
import { addIfWaiting, addWaiting, longestWaitingMs } from '../engine/history/stream.ts';
import {
  auditJob,
  bookingsJob,
  copiesJob,
  historyJob,
  type Job,
  oldBookingsJob,
  oldHistoryJob,
  outOfServiceJob,
  refusalsJob,
  usagesJob,
} from '../jobs/jobs.ts';
import { copyOutOfService, copyRefusals, copyUsages, moveHistories } from '../operations/copies.ts';
import type { SlackSite } from '../outgoing/slack.ts';
import type { RedisClient } from '../redis/client.ts';
import { deleteOldEntries } from '../store/audit.ts';
import { copyBookingsIfAny, lookAfterBookings } from '../store/bookingCopies.ts';
import { deleteOldBookings } from '../store/bookings.ts';
import { deleteOfDeleted } from '../store/historyOwners.ts';
import { dropOldPartitions } from '../store/historyPartitions.ts';
import type { Store } from '../store/records.ts';
import { deleteOldRefusals } from '../store/refusals.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { startNotices } from './notices.ts';
import type { Stores } from './stores.ts';

interface DatabaseDeps {
  readonly store: Store;
  readonly copy: WorkingCopy | null;
  readonly loadTenant: Stores['loadTenant'];
  /** For BullMQ alone. */
  readonly connection: RedisClient;
  readonly slack: SlackSite;
  readonly metrics: Metrics | null;
  readonly log: Logger;
}

export interface DatabaseJobs {
  readonly jobs: readonly Job[];
  /** Called after each sweep with what it did. */
  readonly onSwept: (swept: Swept) => Promise<void>;
  /** Called with each tenant of a reconciliation. */
  readonly reconcile: (tenant: string) => Promise<void>;
  /** Stops the delivery of notices. */
  readonly close: () => Promise<void>;
}

/** Makes the jobs, and starts to deliver notices. */
export async function jobsInDatabase(config: Config, deps: DatabaseDeps): Promise<DatabaseJobs> {
  const { store, copy, loadTenant, log } = deps;
  const { database, redis } = store;
  const { tiers } = config;
  const notices = await startNotices(config, deps);
  return {
    jobs: [
      notices.job,
      ...historyJobs(config, deps),
      ...(copy === null ? [] : [copiesJob(copy, log)]),
      auditJob(() => deleteOldEntries(database, tiers), log),
      refusalsJob(
        () => deleteOldRefusals(database, tiers),
        (sinceMs) => copyRefusals(store, sinceMs),
      ),
      usagesJob((sinceMs) => copyUsages(store, sinceMs)),
      outOfServiceJob((sinceMs) => copyOutOfService(store, sinceMs)),
      bookingsJob(() => lookAfterBookings(store, loadTenant)),
      oldBookingsJob(() => deleteOldBookings(database), log),
    ],
    onSwept: async ({ visited, outboxes }) => {
      for (const tenant of outboxes) notices.wake(tenant);
      const sinceMs = Date.now();
      await addWaiting(
        redis,
        visited.map((tenant) => ({ tenant, sinceMs })),
      );
    },
    reconcile: async (tenant) => {
      await addIfWaiting(redis, tenant);
      // An instance died before it had written a booking, and the database knows no other one of the tenant.
      await copyBookingsIfAny(store, tenant);
    },
    close: notices.close,
  };
}

const historyJobs = ({ tiers }: Config, { store, metrics, log }: DatabaseDeps): Job[] => [
  historyJob(
    (sinceMs, withinMs) => moveHistories(store, tiers, sinceMs, withinMs),
    () => longestWaitingMs(store.redis),
    (entries) => metrics?.countMoved(entries),
    log,
  ),
  oldHistoryJob(async () => {
    await deleteOfDeleted(store.database);
    return dropOldPartitions(store.database);
  }, log),
];
