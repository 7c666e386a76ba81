/**
 * The type of a connection through Drizzle.
 */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** Drizzle on PostgreSQL or PGlite, or in a transaction. */
export type Db = PgDatabase<PgQueryResultHKT>;
