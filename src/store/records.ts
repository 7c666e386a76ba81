/**
 * Reads and changes a tenant's record: first in the database, in one transaction with the audit entry, then in Redis.
 */
import { eq } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import { rightsOfScopes } from '../domain/rights.ts';
import { grantOf, type KeyRecord, managementKey, settingsOf, type TenantRecord } from '../domain/tenants.ts';
import { loadTenant } from '../engine/tenant/record.ts';
import type { RedisClient } from '../redis/client.ts';
import { type AuditEntry, note } from './audit.ts';
import type { Database } from './database.ts';
import type { Db } from './db.ts';
import { apiKeys, managementTokens, tenants } from './schema.ts';
import { growVersion, wantedNotices } from './wantedNotices.ts';

/** The database that tenants are kept in, and the Redis that has their working copies. */
export interface Store {
  readonly database: Database;
  readonly redis: RedisClient;
}

export interface VersionedRecord {
  readonly record: TenantRecord;
  readonly definitionsVersion: number;
}

/** Reads a tenant's record, with its keys; null if there is no such tenant. */
export async function readRecord(tx: Db, id: string): Promise<VersionedRecord | null> {
  const [tenant] = await tx.select().from(tenants).where(eq(tenants.id, id));
  if (tenant === undefined) return null;
  const { version, definitionsVersion, tier, suspendedAt } = tenant;
  const keys = [...(await readKeys(tx, id)), ...(await readManagementTokens(tx, id))];
  const notices = await wantedNotices(tx, id);
  const record = { id, version, tier, suspended: suspendedAt !== null, ...settingsOf(tenant), keys, notices };
  return { record, definitionsVersion };
}

async function readKeys(tx: Db, tenant: string): Promise<KeyRecord[]> {
  const { digest, label, permission, prefix, expiresAt } = apiKeys;
  const rows = await tx
    .select({ digest, label, permission, prefix, expiresAt })
    .from(apiKeys)
    .where(eq(apiKeys.tenantId, tenant));
  return rows.map((row) => ({ digest: row.digest, label: row.label, grant: grantOf(row) }));
}

async function readManagementTokens(tx: Db, tenant: string): Promise<KeyRecord[]> {
  const { digest, label, scopes, expiresAt } = managementTokens;
  const rows = await tx
    .select({ digest, label, scopes, expiresAt })
    .from(managementTokens)
    .where(eq(managementTokens.tenantId, tenant));
  return rows.map((row) => ({
    digest: managementKey(row.digest),
    label: row.label,
    grant: { rights: rightsOfScopes(row.scopes), endsAtMs: row.expiresAt.getTime(), prefix: '' },
  }));
}

/**
 * Changes the part of a tenant that Redis has a copy of. When this returns, the change holds at every instance: a
 * removed key is invalid.
 * @param entry what the audit trail says, or how it follows from the result
 * @param work changes rows, in a transaction that no other change of the tenant's record overlaps
 * @param share whose share of the database is used; null: nobody's, for a change that a busy tenant must not delay
 * @returns the result of `work`
 * @throws HoldfastError unknown, if there is no such tenant; unavailable: the outcome is unknown; whatever `work`
 * throws, and then nothing has changed
 */
export async function changeRecord<T>(
  { database, redis }: Store,
  id: string,
  entry: AuditEntry | ((result: T) => AuditEntry),
  work: (tx: Db) => Promise<T>,
  share: string | null = id,
): Promise<T> {
  const [result, changed] = await database.of(share).transaction(async (tx) => {
    await growVersion(tx, id);
    const done = await work(tx);
    const after = await readRecord(tx, id);
    if (after === null) throw noSuchTenant();
    await note(tx, id, typeof entry === 'function' ? entry(done) : entry);
    return [done, after] as const;
  });
  await loadTenant(redis, changed.record);
  return result;
}

/**
 * Gives Redis a tenant's record anew, after a change of what it depends on. Does nothing if there is no such tenant.
 * @throws HoldfastError unavailable
 */
export async function loadRecord({ database, redis }: Store, id: string): Promise<void> {
  const found = await database.of(id).run((db) => readRecord(db, id));
  if (found !== null) await loadTenant(redis, found.record);
}

export const noSuchTenant = () => new HoldfastError('unknown', 'There is no such tenant.');

/** The client-chosen id of something new is that of something else. */
export class IdInUse extends HoldfastError {
  constructor() {
    super('refused', 'the id is in use');
  }
}
