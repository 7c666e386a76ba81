/**
 * Writes definitions into the database. A statement takes 65,533 parameters at most (postgres.js), so many rows take
 * several statements, all in the transaction of the change.
 */
import { and, eq, getTableColumns, inArray } from 'drizzle-orm';
import type { Definition } from '../contract/definitions.ts';
import { type StoredDefinition, toStored } from '../engine/definitions/codec.ts';
import type { Db } from './db.ts';
import { parts, replacedBy } from './manyRows.ts';
import { definitions } from './schema.ts';

type Row = typeof definitions.$inferInsert;

/** A definition's columns: a field without a column does not compile. */
type Columns = { [Field in keyof StoredDefinition]: Row[Field] };

const COLUMNS = Object.keys(getTableColumns(definitions)).length;
const ROWS_PER_STATEMENT = Math.floor(65_533 / COLUMNS);
const REPLACED = replacedBy(definitions, ['tenantId', 'name']);

/** Inserts definitions, or replaces those of the same names. */
export async function putDefinitions(tx: Db, tenantId: string, all: readonly Definition[]): Promise<void> {
  const rows = all.map((definition) => {
    const columns: Columns = toStored(definition);
    return { tenantId, ...columns };
  });
  for (const part of parts(rows, ROWS_PER_STATEMENT))
    await tx
      .insert(definitions)
      .values(part)
      .onConflictDoUpdate({ target: [definitions.tenantId, definitions.name], set: REPLACED });
}

/** Deletes the definitions of these names. */
export async function deleteDefinitions(tx: Db, tenantId: string, names: readonly string[]): Promise<void> {
  for (const part of parts(names, ROWS_PER_STATEMENT))
    await tx.delete(definitions).where(and(eq(definitions.tenantId, tenantId), inArray(definitions.name, part)));
}
