/**
 * Starts the background jobs of an instance whose role includes them.
 */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { auditJob } from '../jobs/audit.ts';
import { copiesJob } from '../jobs/copies.ts';
import { expiryJob } from '../jobs/expiry.ts';
import { reconciliationJob } from '../jobs/reconciliation.ts';
import { refusalsJob } from '../jobs/refusals.ts';
import { startSchedule } from '../jobs/schedule.ts';
import { usagesJob } from '../jobs/usages.ts';
import { copyRefusals } from '../operations/refusals.ts';
import { copyUsages } from '../operations/usages.ts';
import type { RedisClient } from '../redis/client.ts';
import { deleteOldEntries } from '../store/auditRetention.ts';
import { deleteOldRefusals } from '../store/refusals.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Stores } from './stores.ts';

interface JobDeps {
  readonly redis: RedisClient;
  /** A client for BullMQ alone; it is closed with the jobs. */
  readonly connection: RedisClient;
  readonly stores: Pick<Stores, 'store' | 'copy'>;
  readonly metrics: Metrics | null;
  readonly log: Logger;
}

/** @returns a function that waits for the turns in progress, starts no others and closes the connection */
export function startJobs(
  config: Config,
  { redis, connection, stores: { copy, store }, metrics, log }: JobDeps,
): () => Promise<void> {
  const jobs = [
    expiryJob(redis, config.sweepIntervalMs, ({ ended, stuckQueues }) => metrics?.countSweep(ended, stuckQueues), log),
    reconciliationJob(redis, config.reconcileIntervalMs, log),
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
    ...(store === null ? [] : [usagesJob((sinceMs) => copyUsages(store, sinceMs))]),
  ];
  const schedules = jobs.map((job) => {
    const turn = metrics === null ? job.turn : metrics.timed(job.name, job.turn);
    return startSchedule(connection, { ...job, turn }, log);
  });
  return async () => {
    for (const schedule of schedules) await schedule.close();
    await connection.quit();
  };
}
