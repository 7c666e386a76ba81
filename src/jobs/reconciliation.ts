/**
 * Checks the expiry index against every tenant and puts back what is missing: a failover can lose entries.
 */
import type { Logger } from 'pino';
import { reconcile } from '../engine/expiry/reconcile.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Job } from './job.ts';

const EVERY_MS = 60_000;

/** @param alsoDo what else is done with each tenant */
export const reconciliationJob = (
  redis: RedisClient,
  log: Logger,
  alsoDo?: (tenant: string) => Promise<void>,
): Job => ({
  name: 'reconciliation',
  everyMs: EVERY_MS,
  turn: async () => {
    const repaired = await reconcile(redis, alsoDo);
    if (repaired > 0) log.warn({ repaired }, 'tenants were missing from the expiry index');
  },
});
