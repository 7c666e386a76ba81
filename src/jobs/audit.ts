/**
 * Deletes entries of the audit trail that are older than the tenants' tiers keep them
 * (docs/specification.md#audit-trail).
 */
import type { Logger } from 'pino';
import type { Job } from './job.ts';

const EVERY_MS = 3_600_000;

/** @param deleteOld returns the number of deleted entries */
export const auditJob = (deleteOld: () => Promise<number>, log: Logger): Job => ({
  name: 'audit',
  everyMs: EVERY_MS,
  turn: async () => {
    const deleted = await deleteOld();
    if (deleted > 0) log.info({ deleted }, 'old entries of the audit trail are deleted');
  },
});
