/**
 * Reads the history with a database (docs/specification.md#history): what Redis still has is moved to the database
 * first, and a page is one range of an index.
 */
import { and, eq, gt, lt, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import type { History, HistoryFilter, PastEntry } from '../domain/history.ts';
import type { TierTable } from '../domain/tiers.ts';
import { readOwner } from './historyOwners.ts';
import { history } from './historySchema.ts';
import { usageInDatabase } from './historyUsage.ts';
import { moveHistory } from './moveHistory.ts';
import type { Store } from './records.ts';

/** Batches that are moved before a first page is read. */
const MAX_BATCHES = 5;

/** The time and the number of the last entry of a page. */
const Cursor = z.string().regex(/^\d{1,15}-\d{1,16}$/);

/** @param clock the time now, in ms since 1970 UTC */
export const historyInDatabase = (store: Store, tiers: TierTable, clock = Date.now): History => ({
  ...usageInDatabase(store, tiers, clock),
  page: async (tenant, filter, cursor, limit) => {
    if (cursor !== undefined && !Cursor.safeParse(cursor).success)
      throw new HoldfastError('refused', 'cursor must be one that this listing returned.');
    const now = clock();
    if (cursor === undefined) await moveHistory(store, tenant, { tiers, maxBatches: MAX_BATCHES, now });
    return store.database.run(async (db) => {
      const owner = await readOwner(db, tenant);
      if (owner === undefined) return { entries: [], next: null };
      const { columns, values } = startOf(filter, owner.id);
      const { resource, requester, from, to } = filter;
      const keptFrom = owner.entries - (tiers[owner.tier].historyEntries ?? Number.POSITIVE_INFINITY);
      const rows = await db
        .select()
        .from(history)
        .where(
          and(
            // An entry is kept for some time after it ended.
            gt(history.expiresAt, new Date(Math.max(now, from?.getTime() ?? 0))),
            sql`${tuple(...columns, history.endedAt)} >= ${tuple(...values, timeOf(from, '-infinity'))}`,
            cursor === undefined
              ? sql`${tuple(...columns, history.endedAt)} < ${tuple(...values, timeOf(to, 'infinity'))}`
              : sql`${tuple(...columns, history.endedAt, history.number)} < ${tuple(...values, ...readCursor(cursor))}`,
            cursor === undefined || to === undefined ? undefined : lt(history.endedAt, to),
            resource === undefined ? undefined : eq(history.resource, resource),
            requester === undefined ? undefined : eq(history.requester, requester),
            keptFrom <= 0 ? undefined : gt(history.position, keptFrom),
          ),
        )
        .orderBy(...[...columns, history.endedAt, history.number].map((column) => sql`${column} desc`))
        .limit(limit + 1);
      const entries = rows.slice(0, limit).map(toEntry);
      const last = entries.at(-1);
      return { entries, next: rows.length > limit && last !== undefined ? `${last.endedAt}-${last.number}` : null };
    });
  },
});

/** A column, or a value. */
type Part = SQL | AnyPgColumn;

/**
 * The first columns of the index that fits a filter, and their values. Conditions and order are in terms of these, so
 * that no other index is read, however few entries pass the filter.
 */
function startOf({ resource, requester }: HistoryFilter, owner: number): { columns: Part[]; values: Part[] } {
  const text = (name: string | undefined) => (name === undefined ? undefined : sql`${name}::text`);
  const ofColumns = hashes(resource && history.resource, requester && history.requester);
  return {
    columns: [history.owner, ...ofColumns],
    values: [sql`${owner}::bigint`, ...hashes(text(resource), text(requester))],
  };
}

const hash = (name: Part, seed: SQL = sql`0`): SQL => sql`hashtextextended(${name}, ${seed})`;

/** What the index has in place of the names. */
function hashes(resource: Part | '' | undefined, requester: Part | '' | undefined): SQL[] {
  if (resource && requester) return [hash(requester, hash(resource))];
  const name = resource || requester;
  return name ? [hash(name)] : [];
}

/** Values, or columns, that are compared in their order. */
const tuple = (...parts: Part[]): SQL => sql`(${sql.join(parts, sql`, `)})`;

const timeOf = (time: Date | undefined, otherwise: string): SQL =>
  sql`${time?.toISOString() ?? otherwise}::timestamptz`;

function readCursor(cursor: string): SQL[] {
  const [ms = '', number = ''] = cursor.split('-');
  return [sql`to_timestamp(${ms}::bigint / 1000.0)`, sql`${number}::bigint`];
}

const toEntry = (row: typeof history.$inferSelect): PastEntry => ({
  kind: row.reservedAt === null ? 'WAIT' : 'RESERVATION',
  number: row.number,
  resource: row.resource,
  requestedName: row.requestedName,
  slots: row.slots,
  requester: row.requester,
  resourceType: row.resourceType,
  mode: row.isShared ? 'SHARED' : 'EXCLUSIVE',
  apiKeyLabel: row.apiKeyLabel,
  note: row.note,
  waitedMs: row.waitedMs,
  reservedAt: row.reservedAt?.getTime() ?? null,
  endedAt: row.endedAt.getTime(),
  ending: row.ending,
  actor: row.actor,
});
