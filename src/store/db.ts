/**
 * The types of Drizzle connections and of the functions that run work on them, results of plain SQL, and writing of
 * many rows.
 */
import { fileURLToPath } from 'node:url';
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT, PgTable } from 'drizzle-orm/pg-core';
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

/** Splits rows into parts of this size at most. */
export const parts = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

/**
 * Returns what an insert sets in a row that is there already: all of its columns, as the insert has them.
 * @param key the fields that tell rows apart, which stay
 */
export const replacedBy = <Table extends PgTable>(
  table: Table,
  key: readonly (keyof Table['_']['columns'] & string)[],
): Record<string, SQL> =>
  Object.fromEntries(
    Object.entries(getTableColumns(table))
      .filter(([field]) => !key.includes(field))
      .map(([field, column]) => [field, sql`excluded.${sql.identifier(column.name)}`]),
  );
