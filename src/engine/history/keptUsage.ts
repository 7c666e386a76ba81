/**
 * How much resources are used, without a database: from the newest entries of the history
 * (docs/specification.md#usage-of-resources).
 */
import { type History, KEPT_ENTRIES, type PastEntry } from '../../domain/history.ts';
import { poolsOf } from '../../domain/pools.ts';
import { usageOf } from '../../domain/usage.ts';
import type { RedisClient } from '../../redis/client.ts';
import { refusalsOf } from '../tenant/refusals.ts';
import { keepNewest } from './keepReset.ts';
import { mayBeOf, readPastEntry } from './pastEntry.ts';
import { newestFirst, writtenAt } from './stream.ts';

export const keptUsage = (redis: RedisClient): Omit<History, 'page' | 'keepReset'> => ({
  usage: async (tenant, resource, frame) => {
    const { entries, looked } = await entriesSince(redis, tenant, frame.fromMs, resource);
    return { ...usageOf(entries, frame), looked };
  },
  refusals: (tenant, resource, fromMs, toMs) => refusalsOf(redis, tenant, resource, fromMs, toMs),
  pools: async (tenant, query) => poolsOf((await entriesSince(redis, tenant, query.fromMs)).entries, query),
});

/**
 * Reads the entries that ended at a time or later, among the newest KEPT_ENTRIES.
 * @param resource only those of this one; undefined: all
 * @returns them, and how many were looked at
 */
async function entriesSince(redis: RedisClient, tenant: string, fromMs: number, resource?: string) {
  await keepNewest(redis, tenant);
  const entries: PastEntry[] = [];
  let looked = 0;
  for await (const found of newestFirst(redis, tenant, undefined)) {
    if (looked >= KEPT_ENTRIES || writtenAt(found) < fromMs) break;
    looked++;
    if (resource !== undefined && !mayBeOf(resource, found)) continue;
    const entry = readPastEntry(found);
    // A reset is written down later than it happened.
    if (entry !== null && entry.endedAt >= fromMs && (resource === undefined || entry.resource === resource))
      entries.push(entry);
  }
  return { entries, looked };
}
