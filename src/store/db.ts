/**
 * The type of Drizzle connections, and of what they return for plain SQL.
 */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { z } from 'zod';

/** A Drizzle connection to PostgreSQL or PGlite, or one of its transactions. */
export type Db = PgDatabase<PgQueryResultHKT>;

const Result = z.object({ rows: z.array(z.unknown()) });

/** The rows of a result of plain SQL: of PGlite in an object, of Postgres by themselves. */
export const rowsOf = (result: unknown): unknown => Result.safeParse(result).data?.rows ?? result;
