/**
 * The table of bookings (docs/specification.md#bookings), beside schema.ts: a copy of what Redis has, which gets them
 * back from here if it has lost its data (store/bookings.ts).
 */
import { bigint, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { ofTenant, time } from './schema.ts';

export const bookings = pgTable(
  'bookings',
  {
    tenantId: ofTenant(),
    id: uuid('id').notNull(),
    /** Grows with each change of the booking in Redis, in ms (lua/bookings/copies.lua). */
    revision: bigint('revision', { mode: 'number' }).notNull(),
    /** null: it was over before it was copied */
    endsAt: time('ends_at'),
    /** As Redis has it, so that nothing is lost on the way (lua/bookings/records.lua); null: it is over */
    record: text('record'),
    writtenAt: time('written_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    // Finds the tenants that have any, and the latest end of each.
    index('bookings_end').on(table.tenantId, table.endsAt),
  ],
);
