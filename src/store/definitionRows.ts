/**
 * Writes definitions into the database. One statement of Postgres takes 65,535 parameters at most, so many rows take
 * several statements, all in the transaction of the change.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Definition } from '../domain/resources.ts';
import { PATH_DELIMITER } from '../domain/resources.ts';
import type { Db } from './db.ts';
import { definitions } from './schema.ts';

/** Of five parameters each. */
const ROWS_PER_STATEMENT = 10_000;

/** Puts definitions in, in place of those of the same names. */
export async function putDefinitions(tx: Db, tenantId: string, all: readonly Definition[]): Promise<void> {
  const set = { capacity: sql`excluded.capacity`, blocks: sql`excluded.blocks`, parent: sql`excluded.parent` };
  for (const part of parts(all))
    await tx
      .insert(definitions)
      .values(
        part.map(({ name, capacity, blocks, treePath }) => ({
          tenantId,
          name,
          capacity,
          blocks,
          parent: treePath?.split(PATH_DELIMITER).at(-1) ?? null,
        })),
      )
      .onConflictDoUpdate({ target: [definitions.tenantId, definitions.name], set });
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
