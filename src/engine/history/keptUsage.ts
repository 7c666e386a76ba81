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
import { readPastEntry } from './pastEntry.ts';
import { newestFirst } from './stream.ts';

export const keptUsage = (redis: RedisClient): Omit<History, 'page' | 'keepReset'> => ({
  usage: async (tenant, resource, frame) => {
    const entries = await entriesSince(redis, tenant, frame.fromMs);
    const own = entries.filter((entry) => entry.resource === resource);
    return { ...usageOf(own, frame), looked: entries.length };
  },
  refusals: (tenant, resource, fromMs, toMs) => refusalsOf(redis, tenant, resource, fromMs, toMs),
  pools: async (tenant, query) => poolsOf(await entriesSince(redis, tenant, query.fromMs), query),
});

/** Reads the entries that ended at a time or later, the newest KEPT_ENTRIES of them. */
async function entriesSince(redis: RedisClient, tenant: string, fromMs: number): Promise<PastEntry[]> {
  await keepNewest(redis, tenant);
  const entries: PastEntry[] = [];
  let looked = 0;
  for await (const found of newestFirst(redis, tenant, undefined)) {
    if (looked++ >= KEPT_ENTRIES || timeOf(found.id) < fromMs) break;
    const entry = readPastEntry(found);
    // A reset is written down later than it happened.
    if (entry !== null && entry.endedAt >= fromMs) entries.push(entry);
  }
  return entries;
}

const timeOf = (id: string): number => Number(id.split('-', 1)[0]);
