/**
 * Copies of what is out of service (docs/specification.md#condition): Redis has it, and gets it back from here if it
 * has lost its data.
 */
import { and, eq, inArray, lt } from 'drizzle-orm';
import type { OutOfService } from '../domain/conditions.ts';
import { type Db, parts, replacedBy } from './db.ts';
import type { Store } from './records.ts';
import { outOfService, tenants } from './schema.ts';

/** Slots that one statement writes or deletes. */
const ROWS_PER_STATEMENT = 5000;
/** Tenants that one statement reads. */
const TENANTS_PER_STATEMENT = 1000;

/** Reads what was out of service when it was copied last. */
export async function readOutOfService(tx: Db, tenant: string): Promise<OutOfService[]> {
  const { slot, since, actor, reason } = outOfService;
  const rows = await tx
    .select({ slot, since, actor, reason })
    .from(outOfService)
    .where(eq(outOfService.tenantId, tenant));
  return rows.map((row) => ({ slot: row.slot, sinceMs: row.since.getTime(), actor: row.actor, reason: row.reason }));
}

/**
 * Reads of which version the copies of tenants are.
 * @returns tenant → version. Tenants that do not exist are missing
 * @throws HoldfastError unavailable
 */
export async function copiedVersions(
  { database }: Store,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const versions = new Map<string, number>();
  for (const part of parts(names, TENANTS_PER_STATEMENT)) {
    const rows = await database.run((db) =>
      db.select({ id: tenants.id, version: tenants.outVersion }).from(tenants).where(inArray(tenants.id, part)),
    );
    for (const { id, version } of rows) versions.set(id, version);
  }
  return versions;
}

/**
 * Replaces the copies of a tenant, unless those in the database are newer.
 * @param version the time in Redis of the last change, in us
 * @throws HoldfastError unavailable
 */
export const putOutOfService = (
  { database }: Store,
  tenantId: string,
  version: number,
  wanted: readonly OutOfService[],
): Promise<void> =>
  database.of(tenantId).transaction(async (tx) => {
    const grown = await tx
      .update(tenants)
      .set({ outVersion: version })
      .where(and(eq(tenants.id, tenantId), lt(tenants.outVersion, version)))
      .returning({ id: tenants.id });
    if (grown.length === 0) return;
    const there = new Map((await readOutOfService(tx, tenantId)).map((one) => [one.slot, one]));
    const changed = wanted.filter((one) => !isSame(one, there.get(one.slot)));
    const slots = new Set(wanted.map(({ slot }) => slot));
    const gone = [...there.keys()].filter((slot) => !slots.has(slot));
    for (const part of parts(gone, ROWS_PER_STATEMENT))
      await tx.delete(outOfService).where(and(eq(outOfService.tenantId, tenantId), inArray(outOfService.slot, part)));
    for (const part of parts(changed, ROWS_PER_STATEMENT))
      await tx
        .insert(outOfService)
        .values(part.map(({ sinceMs, ...one }) => ({ tenantId, since: new Date(sinceMs), ...one })))
        .onConflictDoUpdate({ target: [outOfService.tenantId, outOfService.slot], set: REPLACED });
  });

const REPLACED = replacedBy(outOfService, ['tenantId', 'slot']);

const isSame = (one: OutOfService, other: OutOfService | undefined): boolean =>
  one.sinceMs === other?.sinceMs && one.actor === other.actor && one.reason === other.reason;
