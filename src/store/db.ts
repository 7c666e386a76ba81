/**
 * The type of Drizzle connections.
 */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** A Drizzle connection to PostgreSQL or PGlite, or one of its transactions. */
export type Db = PgDatabase<PgQueryResultHKT>;
