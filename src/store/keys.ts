/**
 * A tenant's API keys (docs/specification.md#identity). Keys are looked up by their digests. Their values are stored
 * encrypted, so that the dashboard can show them again.
 */
import { and, asc, count, eq, sql } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import { tierLimitError } from '../domain/limits.ts';
import type { TierTable } from '../domain/tiers.ts';
import type { Author } from './audit.ts';
import type { Db } from './db.ts';
import { changeRecord, type Store } from './records.ts';
import { apiKeys, tenants } from './schema.ts';

/** The Retry-After of a refused key, in seconds: other keys may have been deleted by then. */
const RETRY_AFTER_S = 60;

/** The stored part of a new key. */
export interface NewKey {
  readonly digest: string;
  readonly sealed: string;
  readonly label: string | null;
}

export interface KeyRow {
  readonly id: string;
  readonly label: string | null;
  readonly isDefault: boolean;
  readonly createdAt: Date;
  readonly rotatedAt: Date | null;
}

const COLUMNS = {
  id: apiKeys.id,
  label: apiKeys.label,
  isDefault: apiKeys.isDefault,
  createdAt: apiKeys.createdAt,
  rotatedAt: apiKeys.rotatedAt,
};

const ofTenant = (tenant: string, id: string) => and(eq(apiKeys.tenantId, tenant), eq(apiKeys.id, id));

const noSuchKey = () => new HoldfastError('unknown', 'There is no such key.');

/** Inserts a key, in a transaction. */
export async function insertKey(tx: Db, tenantId: string, key: NewKey, isDefault: boolean): Promise<KeyRow> {
  const [row] = await tx
    .insert(apiKeys)
    .values({ tenantId, ...key, isDefault })
    .returning(COLUMNS);
  if (row === undefined) throw new TypeError('an insert returned nothing');
  return row;
}

/**
 * Lists a tenant's keys without their values: the default key first, then by time of creation.
 * @throws HoldfastError unavailable
 */
export const listKeys = ({ database }: Store, tenant: string): Promise<KeyRow[]> =>
  database.run((db) =>
    db
      .select(COLUMNS)
      .from(apiKeys)
      .where(eq(apiKeys.tenantId, tenant))
      .orderBy(sql`${apiKeys.isDefault} desc`, asc(apiKeys.createdAt), asc(apiKeys.id)),
  );

/**
 * Reads the digests of a tenant's keys, by key id.
 * @throws HoldfastError unavailable
 */
export async function keyDigests({ database }: Store, tenant: string): Promise<ReadonlyMap<string, string>> {
  const rows = await database.run((db) =>
    db.select({ id: apiKeys.id, digest: apiKeys.digest }).from(apiKeys).where(eq(apiKeys.tenantId, tenant)),
  );
  return new Map(rows.map(({ id, digest }) => [id, digest]));
}

/**
 * Reads a key's encrypted value.
 * @throws HoldfastError unknown, unavailable
 */
export async function sealedKey({ database }: Store, tenant: string, id: string): Promise<string> {
  const [row] = await database.run((db) =>
    db.select({ sealed: apiKeys.sealed }).from(apiKeys).where(ofTenant(tenant, id)),
  );
  if (row === undefined) throw noSuchKey();
  return row.sealed;
}

/**
 * Creates a key. It is valid when this returns.
 * @throws LimitError if the tenant has as many keys as its tier allows; the errors of changeRecord()
 */
export const createKey = (store: Store, tiers: TierTable, tenant: string, key: NewKey, by: Author): Promise<KeyRow> =>
  changeRecord(store, tenant, { ...by, action: 'key.create', details: { label: key.label } }, async (tx) => {
    const [row] = await tx.select({ tier: tenants.tier }).from(tenants).where(eq(tenants.id, tenant));
    const [existing] = await tx.select({ keys: count() }).from(apiKeys).where(eq(apiKeys.tenantId, tenant));
    const limit = row === undefined ? null : tiers[row.tier].apiKeys;
    if (row !== undefined && limit !== null && (existing?.keys ?? 0) >= limit) {
      const hit = { limitType: 'ApiKeys', limit, tier: row.tier, asked: 1, retryAfter: RETRY_AFTER_S } as const;
      throw tierLimitError(tiers, hit);
    }
    return insertKey(tx, tenant, key, false);
  });

/**
 * Gives a key another value. The old value is invalid when this returns.
 * @throws HoldfastError unknown; the errors of changeRecord()
 */
export const rotateKey = (
  store: Store,
  tenant: string,
  id: string,
  value: Pick<NewKey, 'digest' | 'sealed'>,
  by: Author,
): Promise<KeyRow> =>
  changeRecord(store, tenant, { ...by, action: 'key.rotate', details: { id } }, async (tx) => {
    const [row] = await tx
      .update(apiKeys)
      .set({ ...value, rotatedAt: new Date() })
      .where(ofTenant(tenant, id))
      .returning(COLUMNS);
    if (row === undefined) throw noSuchKey();
    return row;
  });

/**
 * Deletes a key. It is invalid when this returns.
 * @throws HoldfastError unknown; refused, for the default key; the errors of changeRecord()
 */
export const deleteKey = (store: Store, tenant: string, id: string, by: Author): Promise<void> =>
  changeRecord(store, tenant, { ...by, action: 'key.delete', details: { id } }, async (tx) => {
    const [row] = await tx.delete(apiKeys).where(ofTenant(tenant, id)).returning({ isDefault: apiKeys.isDefault });
    if (row === undefined) throw noSuchKey();
    if (row.isDefault) throw new HoldfastError('refused', 'the default key can only be rotated');
  });
