/** Writing of many rows: in parts, and in place of those that are there. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

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
