/**
 * The history without a database: the newest entries of each tenant, in Redis (docs/specification.md#history).
 */
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { type History, type HistoryFilter, KEPT_ENTRIES, type PastEntry } from '../../domain/history.ts';
import type { RedisClient } from '../../redis/client.ts';
import { keepNewest } from './keepReset.ts';
import { keptUsage } from './keptUsage.ts';
import { mayBeOf, readPastEntry } from './pastEntry.ts';
import { newestFirst, writtenAt } from './stream.ts';

/** The last entry that was returned: its id in the stream and its place. */
const Cursor = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}\.\d$/)
  .transform((text) => ({ id: text.slice(0, -2), place: Number(text.slice(-1)) }));

export const keptHistory = (redis: RedisClient): History => ({
  page: async (tenant, filter, cursor, limit) => {
    const after = cursor === undefined ? undefined : Cursor.safeParse(cursor).data;
    if (cursor !== undefined && after === undefined)
      throw new HoldfastError('refused', 'cursor must be one that this listing returned.');
    // Until then, the reservations that a reset ended are put aside.
    await keepNewest(redis, tenant);
    const entries: PastEntry[] = [];
    let looked = 0;
    let last: string | null = null;
    for await (const found of newestFirst(redis, tenant, after?.id)) {
      // No entry is written before its end.
      if (filter.from !== undefined && writtenAt(found) < filter.from.getTime()) break;
      if (++looked > KEPT_ENTRIES) break;
      if (found.id === after?.id && found.place >= after.place) continue;
      const entry = filter.resource === undefined || mayBeOf(filter.resource, found) ? readPastEntry(found) : null;
      if (entry === null || !passes(filter, entry)) continue;
      if (entries.length === limit) return { entries, next: last };
      entries.push(entry);
      last = `${found.id}.${found.place}`;
    }
    return { entries, next: null };
  },
  keepReset: (tenant) => keepNewest(redis, tenant),
  ...keptUsage(redis),
});

/** Whether a filter lets an entry through. */
const passes = ({ resource, requester, from, to }: HistoryFilter, entry: PastEntry): boolean =>
  (resource === undefined || entry.resource === resource) &&
  (requester === undefined || entry.requester === requester) &&
  (from === undefined || entry.endedAt >= from.getTime()) &&
  (to === undefined || entry.endedAt < to.getTime());
