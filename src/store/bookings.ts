/**
 * Copies of bookings (docs/specification.md#where-bookings-live): Redis decides, and gets from here what it has lost.
 */
import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { BookingCopy } from '../engine/bookingCopies.ts';
import { packToken, unpackToken } from '../engine/reservations/releaseToken.ts';
import { bookings } from './bookingsSchema.ts';
import type { Database } from './database.ts';
import { parts, replacedBy, rowsOf } from './db.ts';

/** Bookings that one statement writes. */
const ROWS_PER_STATEMENT = 1000;
/** Bookings that one query reads. */
export const PAGE = 500;

const HOUR_MS = 3_600_000;
/** What ended longer ago is not read: Redis's clock is less than this behind. */
const LATE_MS = HOUR_MS;
/** How long what is over is kept: no Redis that is older than this comes back with it. */
const KEPT_MS = 7 * 24 * HOUR_MS;

const { tenantId, id, revision, endsAt, record } = bookings;

/**
 * Writes bookings, each of them once, unless the database has newer ones.
 * @throws HoldfastError unavailable; other errors if there is no such tenant
 */
export async function putBookings(database: Database, tenant: string, changed: readonly BookingCopy[]): Promise<void> {
  for (const part of parts(changed, ROWS_PER_STATEMENT)) {
    const rows = part.map((one) => ({
      tenantId: tenant,
      id: unpackToken(one.id),
      revision: one.revision,
      endsAt: one.endsAtMs === null ? null : new Date(one.endsAtMs),
      record: one.record,
      writtenAt: sql`now()`,
    }));
    await database.of(tenant).run((db) =>
      db
        .insert(bookings)
        .values(rows)
        .onConflictDoUpdate({ target: [tenantId, id], set: REPLACED, setWhere: lt(revision, sql`excluded.revision`) }),
    );
  }
}

const REPLACED = {
  ...replacedBy(bookings, ['tenantId', 'id']),
  // Of what is over, the copy still knows the end.
  endsAt: sql`coalesce(excluded.ends_at, ${endsAt})`,
};

const isRecent = () => or(isNull(endsAt), gt(endsAt, new Date(Date.now() - LATE_MS)));

/**
 * Reads a tenant's bookings in pages, none of which is empty.
 * @param isLive true for those alone that are not over
 * @throws HoldfastError unavailable
 */
export async function* readBookings(
  database: Database,
  tenant: string,
  isLive: boolean,
): AsyncGenerator<BookingCopy[]> {
  const which = isLive ? and(isNotNull(record), isRecent()) : isRecent();
  let last: string | undefined;
  do {
    const rows = await database.run((db) =>
      db
        .select({ id, revision, endsAt, record })
        .from(bookings)
        .where(and(eq(tenantId, tenant), last === undefined ? undefined : gt(id, last), which))
        .orderBy(asc(id))
        .limit(PAGE),
    );
    if (rows.length > 0)
      yield rows.map(({ endsAt: end, ...row }) => ({
        ...row,
        id: packToken(row.id),
        endsAtMs: end?.getTime() ?? null,
      }));
    last = rows.length < PAGE ? undefined : rows.at(-1)?.id;
  } while (last !== undefined);
}

/**
 * Returns true if the database has bookings, also such as are over.
 * @throws HoldfastError unavailable
 */
export async function hasBookings(database: Database, tenant: string, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true;
  const which = and(eq(tenantId, tenant), inArray(id, ids.map(unpackToken)));
  return (await database.of(tenant).run((db) => db.$count(bookings, which))) === ids.length;
}

/**
 * Lists the tenants that have bookings whose end has not come, by id: also such as were cancelled, since a Redis that
 * has lost writes may have them still. Takes two looks into an index for each tenant that has rows, however many.
 * @throws HoldfastError unavailable
 */
export async function tenantsWithBookings(database: Database): Promise<string[]> {
  const rows = await database.run((db) =>
    db.execute(sql`
      with recursive owners as (
        select min(${tenantId}) as owner from ${bookings}
        union all
        select (select min(${tenantId}) from ${bookings} where ${tenantId} > owner) from owners where owner is not null
      )
      select owner from owners
      where (select ${isRecent()} from ${bookings} where ${tenantId} = owner order by ${endsAt} desc limit 1)
      order by owner`),
  );
  return Owners.parse(rowsOf(rows)).map(({ owner }) => owner);
}

const Owners = z.array(z.object({ owner: z.string() }));

/**
 * Deletes bookings that are over for so long that no Redis has them any more.
 * @returns their number
 * @throws HoldfastError unavailable
 */
export async function deleteOldBookings(database: Database): Promise<number> {
  const before = new Date(Date.now() - KEPT_MS);
  const isOver = or(lt(endsAt, before), and(isNull(record), lt(bookings.writtenAt, before)));
  let deleted = 0;
  for (;;) {
    const rows = await database.run((db) => {
      const some = db.select({ ctid: sql`ctid` }).from(bookings).where(isOver).limit(ROWS_PER_DELETE);
      return db.delete(bookings).where(sql`ctid in ${some}`).returning({ id });
    });
    deleted += rows.length;
    if (rows.length < ROWS_PER_DELETE) return deleted;
  }
}

const ROWS_PER_DELETE = 5000;
