/**
 * Assigns entries of the history to tenants (docs/specification.md#history): each tenant's have the number of its row
 * here, which no other tenant gets.
 */
import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Tier } from '../domain/tiers.ts';
import type { Database } from './database.ts';
import type { Db } from './db.ts';
import { deleteEntries } from './historyPartitions.ts';
import { historyOwners } from './historySchema.ts';
import { tenants } from './schema.ts';

/** Deleted tenants that one call looks at, and statements for each. */
const MAX_DELETED = 10;
const MAX_PIECES = 200;

/** A tenant that has a history. */
export interface HistoryOwner {
  readonly id: number;
  readonly tier: Tier;
  /** Number of entries that have been written. */
  readonly entries: number;
  /** Entries up to this position have been deleted. */
  readonly deletedTo: number;
  /** The highest id of the stream that has been written. */
  readonly movedTo: string;
}

/** Reads the owner that a tenant's history has; undefined if it has none. */
export async function readOwner(db: Db, tenant: string): Promise<HistoryOwner | undefined> {
  const [row] = await owners(db).where(eq(historyOwners.tenantId, tenant));
  return row;
}

/** Reads an owner, which nobody else changes until the transaction ends; undefined if the tenant has been deleted. */
export async function lockOwner(tx: Db, id: number, tenant: string): Promise<HistoryOwner | undefined> {
  const isIt = and(eq(historyOwners.id, id), eq(historyOwners.tenantId, tenant));
  const [row] = await owners(tx).where(isIt).for('update', { of: historyOwners });
  return row;
}

const owners = (db: Db) => {
  const { id, entries, deletedTo, movedTo } = historyOwners;
  return db
    .select({ id, entries, deletedTo, movedTo, tier: tenants.tier })
    .from(historyOwners)
    .innerJoin(tenants, eq(tenants.id, historyOwners.tenantId))
    .$dynamic();
};

/**
 * Makes the owner of a tenant's history, if it has none.
 * @returns undefined if there is no such tenant
 * @throws HoldfastError unavailable
 */
export const ensureOwner = (database: Database, tenant: string): Promise<HistoryOwner | undefined> =>
  database.of(tenant).run(async (db) => {
    const found = await readOwner(db, tenant);
    if (found !== undefined) return found;
    await db.execute(sql`
      insert into ${historyOwners} (tenant_id) select ${tenants.id} from ${tenants} where ${tenants.id} = ${tenant}
      on conflict do nothing`);
    return readOwner(db, tenant);
  });

/**
 * Deletes the history of tenants that have been deleted, in small pieces.
 * @returns the number of tenants whose history is gone
 * @throws HoldfastError unavailable
 */
export async function deleteOfDeleted(database: Database): Promise<number> {
  const gone = await database.run((db) =>
    db
      .select({ id: historyOwners.id })
      .from(historyOwners)
      .where(isNull(historyOwners.tenantId))
      .orderBy(asc(historyOwners.id))
      .limit(MAX_DELETED),
  );
  let deleted = 0;
  for (const { id } of gone) {
    if (!(await deleteEntries(database, sql`owner = ${id}`, MAX_PIECES))) break;
    await database.run((db) => db.delete(historyOwners).where(eq(historyOwners.id, id)));
    deleted++;
  }
  return deleted;
}
