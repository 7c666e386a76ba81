/**
 * The tables of the history of ended reservations and waits (docs/specification.md#history), and of refusals
 * (#refusals).
 */
import { type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  bigserial,
  boolean,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Ending } from '../domain/history.ts';
import { tenants, time } from './schema.ts';

/**
 * Owners of history: one row for each tenant that has some. A new tenant with the id of a deleted one has a row of its
 * own, so that it never sees the rest of the other's history.
 */
export const historyOwners = pgTable(
  'history_owners',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    /** null: the tenant has been deleted, and its history is being deleted */
    tenantId: text('tenant_id')
      .unique('history_owners_tenant')
      .references(() => tenants.id, { onDelete: 'set null' }),
    /** Number of entries that have been written, so also the position of the last one. */
    entries: bigint('entries', { mode: 'number' }).notNull().default(0),
    /** Entries up to this position have been deleted, since the tier keeps no more. */
    deletedTo: bigint('deleted_to', { mode: 'number' }).notNull().default(0),
    /** The highest id of the tenant's stream in Redis that has been written (store/moveHistory.ts). */
    movedTo: text('moved_to').notNull().default('0-0'),
  },
  (table) => [index('history_owners_deleted').on(table.id).where(sql`${table.tenantId} is null`)],
);

/**
 * Bounds of the classes of length of an entry, in seconds: 1 min, 8 min, 64 min and so on. An entry that is shorter
 * than the first one has class 0.
 */
export const LENGTHS = [60, 480, 3840, 30_720, 245_760, 1_966_080] as const;

type Times = Readonly<Record<'reservedAt' | 'endedAt' | 'waitedMs', AnyPgColumn>>;

/** The class of how long an entry took: since it was reserved, of a wait since it began. */
export const lengthClass = ({ reservedAt, endedAt, waitedMs }: Times): SQL => {
  const seconds = sql`coalesce(date_part('epoch', ${endedAt} - ${reservedAt}), ${waitedMs} / 1000.0, 0)`;
  return sql`width_bucket(${seconds}, ${sql.raw(`'{${LENGTHS}}'::float8[]`)})`;
};

/**
 * Ended reservations and waits. Partitioned by the week in which they are no longer kept, so that a whole week is
 * dropped at once, whatever the tiers are (store/historyPartitions.ts).
 */
export const history = pgTable(
  'history',
  {
    /** Of historyOwners. No reference, which each insert would have to check. */
    owner: bigint('owner', { mode: 'number' }).notNull(),
    endedAt: time('ended_at').notNull(),
    /** Of a reservation its fencing token, of a wait the number of its ticket. */
    number: bigint('number', { mode: 'number' }).notNull(),
    /** Until when it is kept: by the tier that the tenant had when it was written. */
    expiresAt: time('expires_at').notNull(),
    /** The first entry that was written for the owner has 1, the next one 2. */
    position: bigint('position', { mode: 'number' }).notNull(),
    resource: text('resource').notNull(),
    /** The columns from here on are as in PastEntry of domain/history.ts. */
    requestedName: text('requested_name'),
    slots: text('slots').array().notNull(),
    requester: text('requester').notNull(),
    resourceType: text('resource_type').notNull(),
    isShared: boolean('is_shared').notNull(),
    apiKeyLabel: text('api_key_label'),
    note: text('note'),
    waitedMs: bigint('waited_ms', { mode: 'number' }),
    /** null: a wait */
    reservedAt: time('reserved_at'),
    ending: text('ending').$type<Ending>().notNull(),
    actor: text('actor'),
    booking: uuid('booking'),
  },
  // A page is read from the index that fits its filters, in the order of time (store/history.ts). Names are indexed by
  // their hashes: two long names would not fit into an entry of an index.
  ({ owner, resource, requester, reservedAt, endedAt, waitedMs, number }) => [
    index('history_owner').on(owner, endedAt, number),
    index('history_resource').on(owner, sql`hashtextextended(${resource}, 0)`, endedAt, number),
    index('history_requester').on(owner, sql`hashtextextended(${requester}, 0)`, endedAt, number),
    index('history_both').on(
      owner,
      sql`hashtextextended(${requester}, hashtextextended(${resource}, 0))`,
      endedAt,
      number,
    ),
    // What was held at a time: store/history.ts says how.
    index('history_length').on(owner, lengthClass({ reservedAt, endedAt, waitedMs }), endedAt, number),
  ],
);

/** The refusals of an hour, copied from Redis: `r<resource>`, `l<limit type>` or `o` for others → how many. */
export const refusals = pgTable(
  'refusals',
  {
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id, { onDelete: 'cascade' }),
    hour: time('hour').notNull(),
    counts: jsonb('counts').$type<Readonly<Record<string, number>>>().notNull(),
  },
  ({ tenantId, hour }) => [primaryKey({ columns: [tenantId, hour] }), index('refusals_hour').on(hour)],
);
