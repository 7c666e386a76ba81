/**
 * How much resources are used, without a database: from the newest entries of the history
 * (docs/specification.md#usage-of-resources).
 */
import type { History, PastEntry } from '../../domain/history.ts';
import { poolsOf } from '../../domain/pools.ts';
import { usageOf } from '../../domain/usage.ts';
import type { RedisClient } from '../../redis/client.ts';
import { readPastEntry } from './pastEntry.ts';
import { newestFirst } from './stream.ts';

/** Entries that it is worked out from at most: all that are kept. */
const MAX_READ = 10_000;

export const keptUsage = (redis: RedisClient): Pick<History, 'usage' | 'pools'> => ({
  usage: async (tenant, resource, frame) => {
    const entries = await entriesSince(redis, tenant, frame.fromMs);
    const own = entries.filter((entry) => entry.resource === resource);
    return { ...usageOf(own, frame), looked: entries.length };
  },
  pools: async (tenant, query) => poolsOf(await entriesSince(redis, tenant, query.fromMs), query),
});

/** Reads the entries that ended at a time or later, the newest MAX_READ of them. */
async function entriesSince(redis: RedisClient, tenant: string, fromMs: number): Promise<PastEntry[]> {
  const entries: PastEntry[] = [];
  let looked = 0;
  for await (const found of newestFirst(redis, tenant, undefined)) {
    if (looked++ >= MAX_READ || timeOf(found.id) < fromMs) break;
    const entry = readPastEntry(found);
    // A reset is written down later than it happened.
    if (entry !== null && entry.endedAt >= fromMs) entries.push(entry);
  }
  return entries;
}

const timeOf = (id: string): number => Number(id.split('-', 1)[0]);
