/**
 * Starts the background jobs of an instance whose role includes them.
 */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { KEPT_ENTRIES } from '../domain/history.ts';
import type { Swept } from '../engine/expiry/sweep.ts';
import { addIfWaiting, addWaiting, keepReset, longestWaitingMs } from '../engine/history/stream.ts';
import {
  auditJob,
  bookingsJob,
  copiesJob,
  expiryJob,
  historyJob,
  type Job,
  librariesJob,
  oldBookingsJob,
  oldHistoryJob,
  outOfServiceJob,
  reconciliationJob,
  refusalsJob,
  usagesJob,
} from '../jobs/jobs.ts';
import { startSchedule } from '../jobs/schedule.ts';
import { copyOutOfService, copyRefusals, copyUsages, moveHistories } from '../operations/copies.ts';
import type { SlackSite } from '../outgoing/slack.ts';
import { deleteOldLibraries } from '../redis/oldLibraries.ts';
import { deleteOldEntries } from '../store/audit.ts';
import { copyBookingsIfAny, lookAfterBookings } from '../store/bookingCopies.ts';
import { deleteOldBookings } from '../store/bookings.ts';
import { deleteOfDeleted } from '../store/historyOwners.ts';
import { dropOldPartitions } from '../store/historyPartitions.ts';
import type { Store } from '../store/records.ts';
import { deleteOldRefusals } from '../store/refusals.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Clients } from './clients.ts';
import { startNotices } from './notices.ts';
import type { Stores } from './stores.ts';

interface JobDeps {
  readonly clients: Clients;
  readonly stores: Pick<Stores, 'store' | 'copy' | 'loadTenant'>;
  readonly slack: SlackSite;
  readonly metrics: Metrics | null;
  readonly log: Logger;
}

/** @returns a function that waits for the runs in progress, starts no others and closes the connection */
export async function startJobs(
  config: Config,
  { clients, stores: { copy, loadTenant, store }, slack, metrics, log }: JobDeps,
): Promise<() => Promise<void>> {
  const { redis } = clients;
  const connection = clients.createForJobs();
  const onSwept = async ({ ended, stuckQueues, visited, outboxes }: Swept) => {
    for (const tenant of outboxes) notices?.wake(tenant);
    metrics?.countSweep(ended, stuckQueues);
    const sinceMs = Date.now();
    if (store !== null)
      await addWaiting(
        redis,
        visited.map((tenant) => ({ tenant, sinceMs })),
      );
  };
  const alsoDo = async (tenant: string): Promise<void> => {
    if (store !== null) {
      await addIfWaiting(redis, tenant);
      // An instance died before it had written a booking, and the database knows no other one of the tenant.
      await copyBookingsIfAny(store, tenant);
    } else await keepReset(redis, tenant, { room: KEPT_ENTRIES, most: KEPT_ENTRIES });
  };
  const notices = store === null ? null : await startNotices(config, { store, connection, slack, metrics, log });
  const jobs = [
    ...(notices === null ? [] : [notices.job]),
    expiryJob(redis, onSwept, log),
    reconciliationJob(redis, log, alsoDo),
    librariesJob(() => deleteOldLibraries(redis, clients.libraryName(), Date.now()), log),
    ...(store === null ? [] : historyJobs(store, config, metrics, log)),
    ...(copy === null ? [] : [copiesJob(copy, log)]),
    ...(store === null ? [] : [auditJob(() => deleteOldEntries(store.database, config.tiers), log)]),
    ...(store === null
      ? []
      : [
          refusalsJob(
            () => deleteOldRefusals(store.database, config.tiers),
            (sinceMs) => copyRefusals(store, sinceMs),
          ),
        ]),
    ...(store === null
      ? []
      : [
          usagesJob((sinceMs) => copyUsages(store, sinceMs)),
          outOfServiceJob((sinceMs) => copyOutOfService(store, sinceMs)),
          bookingsJob(() => lookAfterBookings(store, loadTenant)),
          oldBookingsJob(() => deleteOldBookings(store.database), log),
        ]),
  ];
  const schedules = jobs.map((job) => {
    const run = metrics === null ? job.run : metrics.timed(job.name, job.run);
    return startSchedule(connection, { ...job, run }, log);
  });
  return async () => {
    await notices?.close();
    for (const schedule of schedules) await schedule.close();
    await connection.quit();
  };
}

const historyJobs = (store: Store, { tiers }: Config, metrics: Metrics | null, log: Logger): Job[] => [
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
