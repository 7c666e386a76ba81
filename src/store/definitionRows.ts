/**
 * Writes definitions into the database. A statement takes 65,533 parameters at most (postgres.js), so many rows take
 * several statements, all in the transaction of the change.
 */
import { and, eq, getTableColumns, inArray } from 'drizzle-orm';
import type { Definition } from '../contract/definitions.ts';
import { type StoredDefinition, toStored } from '../engine/definitions/codec.ts';
import { type Changed, differences } from './audit.ts';
import { type Db, parts, replacedBy } from './db.ts';
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

/** Returns the numbers of slots that definitions, which are about to be put, change: each as it is and will be. */
export async function changedSizes(
  tx: Db,
  tenantId: string,
  all: readonly Definition[],
): Promise<Record<string, Changed>> {
  const { name, capacity } = definitions;
  const sizes = new Map(all.map((one) => [one.name, toStored(one).capacity]));
  const known = await tx
    .select({ name, capacity })
    .from(definitions)
    .where(and(eq(definitions.tenantId, tenantId), inArray(name, [...sizes.keys()])));
  const before = Object.fromEntries(known.map((one) => [one.name, one.capacity]));
  return differences(before, Object.fromEntries(known.map((one) => [one.name, sizes.get(one.name)])));
}

/** Deletes the definitions of these names. */
export async function deleteDefinitions(tx: Db, tenantId: string, names: readonly string[]): Promise<void> {
  for (const part of parts(names, ROWS_PER_STATEMENT))
    await tx.delete(definitions).where(and(eq(definitions.tenantId, tenantId), inArray(definitions.name, part)));
}
