/**
 * Starts the background jobs of an instance whose role includes them.
 */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { KEPT_ENTRIES } from '../domain/history.ts';
import { keepReset } from '../engine/history/stream.ts';
import { expiryJob, librariesJob, reconciliationJob } from '../jobs/jobs.ts';
import { startSchedule } from '../jobs/schedule.ts';
import type { SlackSite } from '../outgoing/slack.ts';
import { deleteOldLibraries } from '../redis/oldLibraries.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Clients } from './clients.ts';
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
  { clients, stores: { store, ...stores }, slack, metrics, log }: JobDeps,
): Promise<() => Promise<void>> {
  const { redis } = clients;
  const connection = clients.createForJobs();
  const deps = { ...stores, connection, slack, metrics, log };
  const inDatabase =
    store === null ? null : await (await import('./jobsInDatabase.ts')).jobsInDatabase(config, { ...deps, store });
  const jobs = [
    expiryJob(
      redis,
      async (swept) => {
        metrics?.countSweep(swept.ended, swept.stuckQueues);
        await inDatabase?.onSwept(swept);
      },
      log,
    ),
    reconciliationJob(redis, log, async (tenant) => {
      if (inDatabase !== null) await inDatabase.reconcile(tenant);
      else await keepReset(redis, tenant, { room: KEPT_ENTRIES, most: KEPT_ENTRIES });
    }),
    librariesJob(() => deleteOldLibraries(redis, clients.libraryName(), Date.now()), log),
    ...(inDatabase?.jobs ?? []),
  ];
  const schedules = jobs.map((job) => {
    const run = metrics === null ? job.run : metrics.timed(job.name, job.run);
    return startSchedule(connection, { ...job, run }, log);
  });
  return async () => {
    await inDatabase?.close();
    for (const schedule of schedules) await schedule.close();
    await connection.quit();
  };
}
