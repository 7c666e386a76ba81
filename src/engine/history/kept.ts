/**
 * The history without a database: the newest entries of each tenant, in Redis (docs/specification.md#history).
 */
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { type History, KEPT_ENTRIES, type PastEntry, type PastUse } from '../../domain/history.ts';
import { holdersOf } from '../../domain/holders.ts';
import { poolsOf } from '../../domain/pools.ts';
import { usageOf } from '../../domain/usage.ts';
import type { RedisClient } from '../../redis/client.ts';
import { yieldToLoop } from '../pace.ts';
import { refusalsOf } from '../tenant/refusals.ts';
import { NEWEST, type Place, readPiece } from './pieces.ts';
import { keepNewest } from './stream.ts';

/** Where the next page begins. */
const Cursor = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}\.\d{1,2}$/)
  .transform((text): Place => {
    const [id = '', field] = text.split('.');
    return { id, field: Number(field) };
  });

const cursorOf = ({ id, field }: Place): string => `${id}.${field}`;

export const keptHistory = (redis: RedisClient): History => ({
  page: async (tenant, filter, cursor, limit) => {
    const begin = cursor === undefined ? NEWEST : Cursor.safeParse(cursor).data;
    if (begin === undefined) throw new HoldfastError('refused', 'cursor must be one that this listing returned.');
    // Until then, the reservations that a reset ended are put aside.
    if (cursor === undefined) await keepNewest(redis, tenant);
    // One more says whether there is another page. Redis does not know which entries began too late.
    const most = filter.beganBefore === undefined ? limit + 1 : undefined;
    const { found, next } = await readPiece(redis, tenant, filter, begin, most);
    const entries = found.slice(0, limit).map(({ entry }) => entry);
    const after = found.length > limit ? (found[limit - 1]?.place ?? null) : next;
    return { entries, next: after === null ? null : cursorOf(after) };
  },
  recent: async (tenant, resources, from, limit) => {
    const wanted = new Set(resources);
    const { found } = await readPiece(redis, tenant, { from }, NEWEST);
    return found
      .map(({ entry }) => entry)
      .filter(({ kind, resource }) => kind === 'RESERVATION' && wanted.has(resource))
      .slice(0, limit);
  },
  keepReset: (tenant) => keepNewest(redis, tenant),
  ...keptUsage(redis),
});

/**
 * Usage of resources without a database: from the newest entries of the history
 * (docs/specification.md#usage-of-resources).
 */
const keptUsage = (redis: RedisClient): Omit<History, 'page' | 'recent' | 'keepReset'> => ({
  usage: async (tenant, resource, frame) => {
    const { uses, looked } = await usesSince(redis, tenant, frame.fromMs, resource);
    return { ...usageOf(uses, frame), looked };
  },
  refusals: (tenant, resource, fromMs, toMs) => refusalsOf(redis, tenant, resource, fromMs, toMs),
  pools: async (tenant, query) => {
    const { uses, looked } = await usesSince(redis, tenant, query.fromMs);
    return { pools: poolsOf(uses, query), looked };
  },
  hours: async (tenant, frame) => {
    const { uses, looked } = await usesSince(redis, tenant, frame.fromMs);
    const { total, steps } = usageOf(uses, frame);
    const { reservations, meanWaitedMs, p95WaitedMs } = total;
    return { heldMs: steps.map(({ heldMs }) => heldMs), reservations, meanWaitedMs, p95WaitedMs, looked };
  },
  holders: async (tenant, query) => {
    const { uses, looked } = await usesSince(redis, tenant, query.fromMs);
    return { holders: holdersOf(uses, query), looked };
  },
});

/**
 * Reads the entries that ended at a time or later, among the newest KEPT_ENTRIES.
 * @param resource only those of this one; undefined: all
 * @returns what figures need of them, and how many were looked at: a large one counts as several
 */
async function usesSince(redis: RedisClient, tenant: string, fromMs: number, resource?: string) {
  await keepNewest(redis, tenant);
  const uses: (PastUse & Pick<PastEntry, 'requester'>)[] = [];
  let [entries, looked] = [0, 0];
  for (let begin: Place | null = NEWEST; begin !== null && entries < KEPT_ENTRIES; ) {
    const piece = await readPiece(redis, tenant, { resource, from: new Date(fromMs) }, begin);
    for (const { kind, resource, requester, slots, reservedAt, endedAt, waitedMs } of piece.found.map(
      ({ entry }) => entry,
    ))
      uses.push({ kind, resource, requester, slots, reservedAt, endedAt, waitedMs });
    entries += piece.entries;
    looked += piece.looked;
    begin = piece.next;
  }
  await yieldToLoop();
  return { uses, looked };
}
