/**
 * Writes definitions into the database. A statement takes 65,533 parameters at most (postgres.js), so many rows take
 * several statements, all in the transaction of the change.
 */
import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Definition } from '../contract/definitions.ts';
import { type StoredDefinition, toStored } from '../engine/definitions/codec.ts';
import type { Db } from './db.ts';
import { definitions } from './schema.ts';

type Row = typeof definitions.$inferInsert;

/** A definition's columns: a field without a column does not compile. */
type Columns = { [Field in keyof StoredDefinition]: Row[Field] };

const { tenantId: _, name: __, ...changeable } = getTableColumns(definitions);
const COLUMNS = Object.keys(getTableColumns(definitions)).length;
const ROWS_PER_STATEMENT = Math.floor(65_533 / COLUMNS);

const REPLACED = Object.fromEntries(
  Object.entries(changeable).map(([field, column]) => [field, sql`excluded.${sql.identifier(column.name)}`]),
);

/** Inserts definitions, or replaces those of the same names. */
export async function putDefinitions(tx: Db, tenantId: string, all: readonly Definition[]): Promise<void> {
  const rows = all.map((definition) => {
    const columns: Columns = toStored(definition);
    return { tenantId, ...columns };
  });
  for (const part of parts(rows))
    await tx
      .insert(definitions)
      .values(part)
      .onConflictDoUpdate({ target: [definitions.tenantId, definitions.name], set: REPLACED });
}

/** Deletes the definitions of these names. */
export async function deleteDefinitions(tx: Db, tenantId: string, names: readonly string[]): Promise<void> {
  for (const part of parts(names))
    await tx.delete(definitions).where(and(eq(definitions.tenantId, tenantId), inArray(definitions.name, part)));
}

const parts = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / ROWS_PER_STATEMENT) }, (_, i) =>
    all.slice(i * ROWS_PER_STATEMENT, (i + 1) * ROWS_PER_STATEMENT),
  );
