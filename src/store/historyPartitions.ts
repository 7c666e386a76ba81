/**
 * The partitions of the history (docs/specification.md#history): one for each week in which entries cease to be kept,
 * made when an entry needs it and dropped as a whole when its week is over. And one for entries that are kept for ever.
 */
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from './database.ts';
import { type Db, rowsOf } from './db.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05, a Monday. */
const MONDAY_MS = 4 * DAY_MS;

/** The number of the advisory lock under which partitions are made. */
const LOCK = 4_839_201_734;
/** Time for which a drop waits for queries of the history to end. New ones wait for it meanwhile. */
const DROP_WITHIN_MS = 500;
/** Entries that one statement deletes. */
const PIECE = 1000;

/** The name of a partition ends with the day before which its entries cease to be kept. */
const NAME = /^history_until_(\d{4})(\d\d)(\d\d)$/;

/** The end of the week that a time lies in, in ms since 1970 UTC. */
const weekEnd = (ms: number): number => MONDAY_MS + (Math.floor((ms - MONDAY_MS) / WEEK_MS) + 1) * WEEK_MS;

/** The day at whose beginning a week ends, as YYYY-MM-DD. */
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * Makes the partitions for entries that are kept until some times, as far as they do not exist. Reads and writes of the
 * history go on meanwhile.
 * @param expiries ms since 1970 UTC
 * @throws HoldfastError unavailable
 */
export async function makePartitions(database: Database, expiries: readonly number[]): Promise<void> {
  for (const end of new Set(expiries.map(weekEnd)))
    await database.transaction(async (tx) => {
      await tx.execute(sql.raw(`select pg_advisory_xact_lock(${LOCK})`));
      const name = `history_until_${dayOf(end).replaceAll('-', '')}`;
      if ((await partitionsOf(tx)).includes(name)) return;
      await tx.execute(sql.raw(`create table ${name} (like history including defaults)`));
      // Unlike CREATE TABLE … PARTITION OF, it does not lock the history against reads and writes.
      const [from, to] = [end - WEEK_MS, end].map((ms) => `'${dayOf(ms)} 00:00:00+00'`);
      await tx.execute(sql.raw(`alter table history attach partition ${name} for values from (${from}) to (${to})`));
    });
}

/**
 * Drops the partitions whose week is over.
 * @returns their names
 * @throws HoldfastError unavailable, also if a query of the history does not end soon
 */
export async function dropOldPartitions(database: Database, now = new Date()): Promise<string[]> {
  const old = (await database.run(partitionsOf)).filter((name) => {
    const [, year, month, date] = NAME.exec(name) ?? [];
    return year !== undefined && Date.UTC(Number(year), Number(month) - 1, Number(date)) <= now.getTime();
  });
  for (const name of old)
    await database.transaction(async (tx) => {
      await tx.execute(sql.raw(`set local lock_timeout = ${DROP_WITHIN_MS}`));
      await tx.execute(sql.raw(`drop table if exists ${name}`));
    });
  return old;
}

/**
 * Deletes entries in small pieces, whichever partitions they lie in.
 * @param which a condition on columns of the history
 * @param maxPieces statements that delete something
 * @returns whether all have been deleted
 * @throws HoldfastError unavailable
 */
export async function deleteEntries(database: Database, which: SQL, maxPieces: number): Promise<boolean> {
  let pieces = 0;
  for (const name of await database.run(partitionsOf)) {
    const partition = sql.identifier(name);
    for (let deleted = PIECE; deleted === PIECE; pieces++) {
      if (pieces >= maxPieces) return false;
      const rows = await database.run((db) =>
        db.execute(sql`
          delete from ${partition} where ctid = any(array(select ctid from ${partition} where ${which} limit ${PIECE}))
          returning 1`),
      );
      deleted = z.array(z.unknown()).parse(rowsOf(rows)).length;
    }
  }
  return true;
}

/** The names of all partitions. */
async function partitionsOf(db: Db): Promise<string[]> {
  const rows = await db.execute(sql`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'history'::regclass order by relname`);
  return z
    .array(z.object({ name: z.string() }))
    .parse(rowsOf(rows))
    .map(({ name }) => name);
}
