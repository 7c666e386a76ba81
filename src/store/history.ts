/**
 * Reads the history with a database (docs/specification.md#history): what Redis still has is moved to the database
 * first, and a page is one range of an index of each partition.
 */
import { and, desc, eq, gt, gte, inArray, isNotNull, lt, ne, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import type { History, HistoryFilter, PastEntry } from '../domain/history.ts';
import type { TierTable } from '../domain/tiers.ts';
import { keepReset } from '../engine/history/stream.ts';
import type { Db } from './db.ts';
import { type HistoryOwner, readOwner } from './historyOwners.ts';
import { history, LENGTHS, lengthClass } from './historySchema.ts';
import { usageInDatabase } from './historyUsage.ts';
import { moveHistory } from './moveHistory.ts';
import type { Store } from './records.ts';

/** Entries that Redis may have before those of a reset are added: well below what would displace any. */
const ROOM = 5000;

/** Batches that are moved before a first page is read. */
const MAX_BATCHES = 5;

/** The time and the number of the last entry of a page. */
const Cursor = z.string().regex(/^\d{1,15}-\d{1,16}$/);

/** @param clock the time now, in ms since 1970 UTC */
export const historyInDatabase = (store: Store, tiers: TierTable, clock = Date.now): History => ({
  ...usageInDatabase(store, tiers, clock),
  keepReset: async (tenant) => {
    await keepReset(store.redis, tenant, { room: ROOM, most: Number.POSITIVE_INFINITY });
  },
  recent: (tenant, resources, from, limit) =>
    store.database.of(tenant).run(async (db) => {
      const owner = await readOwner(db, tenant);
      if (owner === undefined || resources.length === 0) return [];
      const hashes = resources.map((name) => hash(text(name)));
      const rows = await db
        .select()
        .from(history)
        .where(
          and(
            isKept(owner, tiers, Math.max(clock(), from.getTime())),
            sql`${hash(history.resource)} in (${sql.join(hashes, sql`, `)})`,
            inArray(history.resource, [...resources]),
            gte(history.endedAt, from),
            isNotNull(history.reservedAt),
            ne(history.ending, 'OUT_OF_SERVICE'),
          ),
        )
        .orderBy(...LATEST)
        .limit(limit);
      return rows.map(toEntry);
    }),
  page: async (tenant, filter, cursor, limit) => {
    if (cursor !== undefined && !Cursor.safeParse(cursor).success)
      throw new HoldfastError('refused', 'cursor must be one that this listing returned.');
    const now = clock();
    if (cursor === undefined) await moveHistory(store, tenant, { tiers, maxBatches: MAX_BATCHES, now });
    return store.database.of(tenant).run(async (db) => {
      const owner = await readOwner(db, tenant);
      if (owner === undefined) return { entries: [], next: null };
      const { from, to, beganBefore } = filter;
      const wanted = and(
        isKept(owner, tiers, Math.max(now, from?.getTime() ?? 0)),
        from === undefined ? undefined : gte(history.endedAt, from),
        cursor === undefined ? undefined : before(cursor),
        to === undefined ? undefined : lt(history.endedAt, to),
      );
      const rows =
        beganBefore === undefined ? [] : await heldAt(db, beganBefore, and(wanted, areNames(filter)), limit + 1);
      if (rows.length <= limit)
        rows.push(
          ...(await db
            .select()
            .from(history)
            .where(
              and(wanted, ofNames(filter), beganBefore === undefined ? undefined : lt(history.endedAt, beganBefore)),
            )
            .orderBy(...LATEST)
            .limit(limit + 1 - rows.length)),
        );
      const entries = rows.slice(0, limit).map(toEntry);
      const last = entries.at(-1);
      return { entries, next: rows.length > limit && last !== undefined ? `${last.endedAt}-${last.number}` : null };
    });
  },
});

const LATEST = [desc(history.endedAt), desc(history.number)];

/**
 * Reads the entries that began before a time and ended then or later, the latest first. It looks at each class of
 * length alone: of those that took at most 8 minutes, only entries can be meant that ended within 8 minutes. So as long
 * as the use is even, one entry in nine that it looks at is meant, however long ago the time is.
 */
async function heldAt(db: Db, time: Date, wanted: SQL | undefined, limit: number): Promise<Row[]> {
  const at = sql`${time.toISOString()}::timestamptz`;
  const ends = [
    ...LENGTHS.map((seconds) => sql`${at} + ${sql.raw(`interval '${seconds} s'`)}`),
    sql`'infinity'::timestamptz`,
  ];
  const classes = sql`(values ${sql.join(
    ends.map((end, i) => sql`(${sql.raw(String(i))}, ${end})`),
    sql`, `,
  )}) as classes (length, ends)`;
  const ofClass = db
    .select()
    .from(history)
    .where(
      and(
        sql`${lengthClass(history)} = classes.length`,
        gte(history.endedAt, at),
        sql`${history.endedAt} < classes.ends`,
        sql`coalesce(${history.reservedAt}, ${history.endedAt} - coalesce(${history.waitedMs}, 0) * interval '1 ms') < ${at}`,
        wanted,
      ),
    )
    .orderBy(...LATEST)
    .limit(limit)
    .as('held');
  return db
    .select(ofClass._.selectedFields)
    .from(classes)
    .crossJoinLateral(ofClass)
    .orderBy(desc(ofClass.endedAt), desc(ofClass.number))
    .limit(limit);
}

/**
 * The condition for entries of an owner that its tier still keeps.
 * @param sinceMs the time now, or one after which the entries ended: an entry is kept for some time after it ended
 */
function isKept({ id, tier, entries }: HistoryOwner, tiers: TierTable, sinceMs: number): SQL | undefined {
  const keptFrom = entries - (tiers[tier].historyEntries ?? Number.POSITIVE_INFINITY);
  return and(
    gt(history.expiresAt, new Date(sinceMs)),
    eq(history.owner, id),
    keptFrom <= 0 ? undefined : gt(history.position, keptFrom),
  );
}

const areNames = ({ resource, requester }: HistoryFilter): SQL | undefined =>
  and(
    resource === undefined ? undefined : eq(history.resource, resource),
    requester === undefined ? undefined : eq(history.requester, requester),
  );

/** The condition for names: in terms of the index that fits, and exactly, since two names may have the same hash. */
function ofNames({ resource, requester }: HistoryFilter): SQL | undefined {
  const names = areNames({ resource, requester });
  if (resource !== undefined && requester !== undefined) {
    const hashOfBoth = hash(history.requester, hash(history.resource));
    return and(sql`${hashOfBoth} = ${hash(text(requester), hash(text(resource)))}`, names);
  }
  if (resource !== undefined) return and(sql`${hash(history.resource)} = ${hash(text(resource))}`, names);
  if (requester !== undefined) return and(sql`${hash(history.requester)} = ${hash(text(requester))}`, names);
  return undefined;
}

const text = (name: string): SQL => sql`${name}::text`;

const hash = (name: SQL | AnyPgColumn, seed: SQL = sql`0`): SQL => sql`hashtextextended(${name}, ${seed})`;

/** The condition for entries after the last one of a page. */
function before(cursor: string): SQL {
  const [ms = '', number = ''] = cursor.split('-');
  const last = sql`(to_timestamp(${ms}::bigint / 1000.0), ${number}::bigint)`;
  return sql`(${history.endedAt}, ${history.number}) < ${last}`;
}

type Row = typeof history.$inferSelect;

const kindOf = ({ ending, reservedAt }: Row): PastEntry['kind'] => {
  if (ending === 'OUT_OF_SERVICE') return ending;
  return reservedAt === null ? 'WAIT' : 'RESERVATION';
};

const toEntry = (row: Row): PastEntry => ({
  kind: kindOf(row),
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
  booking: row.booking,
});
