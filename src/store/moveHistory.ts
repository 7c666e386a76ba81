/**
 * Moves ended reservations and waits from a tenant's stream in Redis to the database (docs/specification.md#history):
 * each is written once, whichever step fails, and however many move at the same time.
 *
 * A batch is written in one transaction with the id of its last entry, under the lock of the owner's row, and deleted
 * from the stream after that. So an entry with a higher id has not been written. One with a lower id is there again
 * because it was not deleted, or because Redis failed over to a replica that still had it; or it is new, in a Redis
 * whose clock is behind. These are looked for in the database.
 */
import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { PastEntry } from '../domain/history.ts';
import type { TierTable } from '../domain/tiers.ts';
import { readPastEntry } from '../engine/history/pastEntry.ts';
import { countEntries, deleteFromStream, keepReset, oldest, type StreamEntry } from '../engine/history/stream.ts';
import { isNoPartition } from './database.ts';
import { type Db, rowsOf } from './db.ts';
import { ensureOwner, type HistoryOwner, lockOwner } from './historyOwners.ts';
import { deleteEntries, makePartitions } from './historyPartitions.ts';
import { history, historyOwners } from './historySchema.ts';
import type { Store } from './records.ts';

/** Entries of the stream that one transaction moves: up to ten times as many rows. */
const BATCH = 500;
const DAY_MS = 86_400_000;
/** Days that are as good as for ever. */
const FOREVER_DAYS = 36_500;
/** Entries that are deleted at a time, once there are that many more than the tier keeps; and statements for it. */
const SURPLUS = 1000;
const MAX_PIECES = 20;

/** Entries of a reset get into the stream while that is short: none is displaced there. */
const room = { room: BATCH, most: Number.POSITIVE_INFINITY };

/** The parts that moving needs besides the store. */
export interface MoveOptions {
  readonly tiers: TierTable;
  /** Batches at most. */
  readonly maxBatches: number;
  /** ms since 1970 UTC; the time now if it is left out */
  readonly now?: number;
}

export interface Moved {
  readonly entries: number;
  /** True if some may be left. */
  readonly hasMore: boolean;
}

/**
 * Moves the oldest entries.
 * @throws HoldfastError unavailable
 */
export async function moveHistory(store: Store, tenant: string, options: MoveOptions): Promise<Moved> {
  const { redis, database } = store;
  await keepReset(redis, tenant, room);
  if ((await countEntries(redis, tenant)) === 0) return { entries: 0, hasMore: false };
  // Before the entries are read: those of a deleted tenant never belong to an owner that is younger.
  const owner = await ensureOwner(database, tenant);
  if (owner === undefined) return { entries: 0, hasMore: false };
  let entries = 0;
  let after: string | undefined;
  for (let batch = 0; batch < options.maxBatches; batch++) {
    const { entries: found, isLast } = await oldest(redis, tenant, after, BATCH);
    const last = found.at(-1);
    if (last === undefined) return { entries, hasMore: false };
    const read = readAll(found);
    const written = await write(store, tenant, owner.id, read, options);
    if (written === null) return { entries, hasMore: false };
    if (read.length > 0) await deleteFromStream(redis, tenant, [...new Set(read.map(({ id }) => id))]);
    entries += written;
    if (isLast) return { entries, hasMore: false };
    after = last.id;
    await keepReset(redis, tenant, room);
  }
  return { entries, hasMore: true };
}

/** An entry with its id in the stream. */
type Readable = PastEntry & { readonly id: string };

/** Entries that this version can read. The others stay in the stream, and the next batch begins behind them. */
function readAll(found: readonly StreamEntry[]): Readable[] {
  const unreadable = new Set<string>();
  const read = found.flatMap((one) => {
    const entry = readOne(one);
    if (entry === null) unreadable.add(one.id);
    return entry === null ? [] : [{ ...entry, id: one.id }];
  });
  return read.filter(({ id }) => !unreadable.has(id));
}

function readOne(found: StreamEntry): PastEntry | null {
  try {
    return readPastEntry(found);
  } catch {
    return null;
  }
}

/**
 * Writes entries, and makes the partitions that they lack.
 * @returns how many were written; null if the tenant has been deleted
 */
async function write(
  { database }: Store,
  tenant: string,
  owner: number,
  entries: readonly Readable[],
  { tiers, now = Date.now() }: MoveOptions,
): Promise<number | null> {
  let expiries: number[] = [];
  const attempt = () =>
    database.of(tenant).transaction(async (tx) => {
      const locked = await lockOwner(tx, owner, tenant);
      if (locked === undefined) return null;
      const days = tiers[locked.tier].historyDays ?? Number.POSITIVE_INFINITY;
      const keptMs = days > FOREVER_DAYS ? Number.POSITIVE_INFINITY : days * DAY_MS;
      const there = await alreadyThere(tx, locked, entries);
      const rows = entries
        .filter(({ id, endedAt }) => !there.has(id) && endedAt + keptMs > now)
        .map((entry, i) => ({ ...entry, position: locked.entries + i + 1, expiresAt: entry.endedAt + keptMs }));
      expiries = rows.map(({ expiresAt }) => expiresAt).filter(Number.isFinite);
      if (rows.length > 0) await insert(tx, owner, rows);
      const movedTo = entries.reduce((highest, { id }) => later(highest, id), locked.movedTo);
      const set = { entries: locked.entries + rows.length, movedTo };
      await tx.update(historyOwners).set(set).where(eq(historyOwners.id, owner));
      return { written: rows.length, ...locked, ...set };
    });
  const done = await attempt().catch(async (error: unknown) => {
    if (!isNoPartition(error)) throw error;
    await makePartitions(database, expiries);
    return attempt();
  });
  if (done === null) return null;
  await deleteSurplus({ database }, done, tiers);
  return done.written;
}

/** An entry with its place in the database. */
type Row = Readable & { readonly position: number; readonly expiresAt: number };

/** Returns the ids of entries that have been written before. */
async function alreadyThere(
  tx: Db,
  { id: owner, movedTo }: HistoryOwner,
  entries: readonly Readable[],
): Promise<ReadonlySet<string>> {
  const doubtful = entries.filter(({ id }) => later(movedTo, id) === movedTo);
  if (doubtful.length === 0) return new Set();
  const asked = doubtful.map(({ id, endedAt, number, kind }) => ({ id, endedAt, number, isWait: kind === 'WAIT' }));
  // One step in the index of each partition for each entry.
  const rows = await tx.execute(sql`
    select asked.id from jsonb_to_recordset(${JSON.stringify(asked)}::text::jsonb)
      as asked (id text, "endedAt" bigint, number bigint, "isWait" boolean)
    cross join lateral (
      select from ${history} h
      where h.owner = ${owner} and h.ended_at = to_timestamp(asked."endedAt" / 1000.0) and h.number = asked.number
        and (h.reserved_at is null) = asked."isWait"
      limit 1
    ) found`);
  return new Set(
    z
      .array(z.object({ id: z.string() }))
      .parse(rowsOf(rows))
      .map(({ id }) => id),
  );
}

/** Inserts entries, in one statement. */
async function insert(tx: Db, owner: number, rows: readonly Row[]): Promise<void> {
  await tx.execute(sql`
    insert into ${history} (owner, ended_at, number, expires_at, position, resource, requested_name, slots, requester,
      resource_type, is_shared, api_key_label, note, waited_ms, reserved_at, ending, actor, booking)
    select ${owner}::bigint, to_timestamp("endedAt" / 1000.0), number,
      coalesce(to_timestamp("expiresAt" / 1000.0), 'infinity'), position, resource, "requestedName", slots, requester,
      "resourceType", mode = 'SHARED', "apiKeyLabel", note, "waitedMs", to_timestamp("reservedAt" / 1000.0), ending, actor,
      booking
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as row (
      "endedAt" bigint, number bigint, "expiresAt" bigint, position bigint, resource text, "requestedName" text,
      slots text[], requester text, "resourceType" text, mode text, "apiKeyLabel" text, note text, "waitedMs" bigint,
      "reservedAt" bigint, ending text, actor text, booking uuid)`);
}

/** Deletes a tenant's oldest entries if it has many more than its tier keeps. */
async function deleteSurplus(
  { database }: Pick<Store, 'database'>,
  { id, tier, entries, deletedTo }: HistoryOwner,
  tiers: TierTable,
): Promise<void> {
  const end = entries - (tiers[tier].historyEntries ?? Number.POSITIVE_INFINITY);
  if (end - deletedTo < SURPLUS) return;
  if (!(await deleteEntries(database, sql`owner = ${id} and position <= ${end}`, MAX_PIECES))) return;
  await database.run((db) => db.update(historyOwners).set({ deletedTo: end }).where(eq(historyOwners.id, id)));
}

/** Returns the later one of two ids of a stream: `<ms>-<number>`. */
function later(one: string, other: string): string {
  const [ms = 0, number = 0] = one.split('-').map(Number);
  const [otherMs = 0, otherNumber = 0] = other.split('-').map(Number);
  return otherMs > ms || (otherMs === ms && otherNumber > number) ? other : one;
}
