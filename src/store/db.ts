/**
 * The types of Drizzle connections, of the functions that run work on them, and of results of plain SQL.
 */

import { fileURLToPath } from 'node:url';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { z } from 'zod';

/** A Drizzle connection to PostgreSQL or PGlite, or one of its transactions. */
export type Db = PgDatabase<PgQueryResultHKT>;

/**
 * Runs work on connections. If the signal is aborted before work starts, it is not started; if it is aborted before a
 * transaction commits, the transaction is rolled back. Both calls then reject. A tenant has a share of the connections
 * (pool.ts); null: the work is no tenant's.
 */
export interface Connected {
  run<T>(work: (db: Db) => Promise<T>, signal: AbortSignal, tenant: string | null): Promise<T>;
  transaction<T>(work: (tx: Db) => Promise<T>, signal: AbortSignal, tenant: string | null): Promise<T>;
  snapshot<T>(work: (tx: Db) => Promise<T>, signal: AbortSignal, tenant: string | null): Promise<T>;
  migrate(): Promise<void>;
  close(): Promise<unknown>;
}

const Result = z.object({ rows: z.array(z.unknown()) });

/** The rows of a result of plain SQL: of PGlite in an object, of Postgres by themselves. */
export const rowsOf = (result: unknown): unknown => Result.safeParse(result).data?.rows ?? result;

/** Where the migrations are. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../drizzle/', import.meta.url));
