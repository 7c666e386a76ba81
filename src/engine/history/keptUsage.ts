/**
 * How much resources are used, without a database: from the newest entries of the history
 * (docs/specification.md#usage-of-resources).
 */
import { type History, KEPT_ENTRIES, type PastUse } from '../../domain/history.ts';
import { poolsOf } from '../../domain/pools.ts';
import { usageOf } from '../../domain/usage.ts';
import type { RedisClient } from '../../redis/client.ts';
import { ownTurn } from '../ownTurn.ts';
import { refusalsOf } from '../tenant/refusals.ts';
import { keepNewest } from './keepReset.ts';
import { NEWEST, type Place, readPiece } from './pieces.ts';

export const keptUsage = (redis: RedisClient): Omit<History, 'page' | 'keepReset'> => ({
  usage: async (tenant, resource, frame) => {
    const { uses, looked } = await usesSince(redis, tenant, frame.fromMs, resource);
    return { ...usageOf(uses, frame), looked };
  },
  refusals: (tenant, resource, fromMs, toMs) => refusalsOf(redis, tenant, resource, fromMs, toMs),
  pools: async (tenant, query) => {
    const { uses, looked } = await usesSince(redis, tenant, query.fromMs);
    return { pools: poolsOf(uses, query), looked };
  },
});

/**
 * Reads the entries that ended at a time or later, among the newest KEPT_ENTRIES.
 * @param resource only those of this one; undefined: all
 * @returns what figures need of them, and how many were looked at: a large one counts as several
 */
async function usesSince(redis: RedisClient, tenant: string, fromMs: number, resource?: string) {
  await keepNewest(redis, tenant);
  const uses: PastUse[] = [];
  let [entries, looked] = [0, 0];
  for (let begin: Place | null = NEWEST; begin !== null && entries < KEPT_ENTRIES; ) {
    const piece = await readPiece(redis, tenant, { resource, from: new Date(fromMs) }, begin);
    for (const { kind, resource, slots, reservedAt, endedAt, waitedMs } of piece.found.map(({ entry }) => entry))
      uses.push({ kind, resource, slots, reservedAt, endedAt, waitedMs });
    entries += piece.entries;
    looked += piece.looked;
    begin = piece.next;
  }
  await ownTurn();
  return { uses, looked };
}
