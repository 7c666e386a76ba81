/**
 * A tenant's API keys (docs/specification.md#identity). Keys are looked up by their digests. Their values are stored
 * encrypted, so that the dashboard can show them again.
 */
import { and, asc, count, eq, gt, gte, inArray, sql } from 'drizzle-orm';
import { HoldfastError, tierLimitError } from '../domain/errors.ts';
import { grantOf, type KeyLimits } from '../domain/tenants.ts';
import type { TierTable } from '../domain/tiers.ts';
import { type Author, note } from './audit.ts';
import type { Db } from './db.ts';
import { changeRecord, IdInUse, type Store } from './records.ts';
import { apiKeys, audit, tenants } from './schema.ts';

/** The most keys of a tenant, in any tier: each change of one writes all of them to Redis. */
const MAX_KEYS = 1000;

/** The Retry-After of a refused key, in seconds: other keys may have been deleted by then. */
const RETRY_AFTER_S = 60;

/** For how many hours the audit trail does not repeat that somebody was shown a key: as long as a sign-in lasts. */
const SHOWN_HOURS = 12;

/** The stored part of a new value. */
export interface KeyValue {
  readonly digest: string;
  readonly sealed: string;
}

/** The stored part of a new key. */
export interface NewKey extends KeyValue, Partial<KeyLimits> {
  readonly id?: string;
  readonly label: string | null;
}

export interface KeyRow extends KeyLimits {
  readonly id: string;
  readonly digest: string;
  readonly label: string | null;
  readonly isDefault: boolean;
  readonly createdAt: Date;
  readonly rotatedAt: Date | null;
}

const { id, digest, sealed, label, isDefault, permission, prefix, expiresAt, createdAt, rotatedAt } = apiKeys;
const COLUMNS = { id, digest, label, isDefault, permission, prefix, expiresAt, createdAt, rotatedAt };

const ofTenant = (tenant: string, of: string) => and(eq(apiKeys.tenantId, tenant), eq(id, of));

const noSuchKey = () => new HoldfastError('unknown', 'There is no such key.');

/**
 * Inserts a key, in a transaction.
 * @throws IdInUse
 */
export async function insertKey(tx: Db, tenantId: string, key: NewKey, isDefault: boolean): Promise<KeyRow> {
  const [row] = await tx
    .insert(apiKeys)
    .values({ tenantId, ...key, isDefault })
    .onConflictDoNothing({ target: id })
    .returning(COLUMNS);
  if (row === undefined) throw new IdInUse();
  return row;
}

/**
 * Lists a tenant's keys without their values: the default key first, then by time of creation.
 * @throws HoldfastError unavailable
 */
export const listKeys = ({ database }: Store, tenant: string): Promise<KeyRow[]> =>
  database
    .of(tenant)
    .run((db) =>
      db
        .select(COLUMNS)
        .from(apiKeys)
        .where(eq(apiKeys.tenantId, tenant))
        .orderBy(sql`${isDefault} desc`, asc(createdAt), asc(id)),
    );

/**
 * Lists a page of a tenant's keys, by id.
 * @param after the last id of the previous page
 * @throws HoldfastError unavailable
 */
export const pageOfKeys = (
  { database }: Store,
  tenant: string,
  after: string | undefined,
  limit: number,
): Promise<KeyRow[]> =>
  database.of(tenant).run((db) =>
    db
      .select(COLUMNS)
      .from(apiKeys)
      .where(and(eq(apiKeys.tenantId, tenant), after === undefined ? undefined : gt(id, after)))
      .orderBy(asc(id))
      .limit(limit),
  );

/** @throws HoldfastError unknown, unavailable */
export async function readKey({ database }: Store, tenant: string, of: string): Promise<KeyRow> {
  const [row] = await database.of(tenant).run((db) => db.select(COLUMNS).from(apiKeys).where(ofTenant(tenant, of)));
  if (row === undefined) throw noSuchKey();
  return row;
}

/**
 * Reads a key's encrypted value, to show it. The audit trail says so, unless it says already that this person or
 * program has got the value within SHOWN_HOURS: pages that show it renew themselves.
 * @throws HoldfastError unknown, unavailable
 */
export const showKey = ({ database }: Store, tenant: string, of: string, by: Author): Promise<string> =>
  database.of(tenant).transaction(async (tx) => {
    const [row] = await tx.select({ sealed, label, rotatedAt }).from(apiKeys).where(ofTenant(tenant, of));
    if (row === undefined) throw noSuchKey();
    const [known] = await tx
      .select({ id: audit.id })
      .from(audit)
      .where(
        and(
          eq(audit.tenantId, tenant),
          eq(audit.actor, by.actor),
          gte(audit.at, sql`now() - make_interval(hours => ${SHOWN_HOURS})`),
          row.rotatedAt === null ? undefined : gte(audit.at, row.rotatedAt),
          inArray(audit.action, ['key.show', 'key.create', 'key.rotate']),
          sql`${audit.details} ->> 'id' = ${of}`,
        ),
      )
      .limit(1);
    if (known === undefined)
      await note(tx, tenant, { ...by, action: 'key.show', details: { id: of, label: row.label } });
    return row.sealed;
  });

/**
 * Creates a key. It is valid when this returns. A repeat, with the same id and content, changes nothing.
 * @returns `isNew` is false for a repeat
 * @throws HoldfastError refused if the id has another content; LimitError if the tenant has as many keys as its tier
 * allows; the errors of changeRecord()
 */
export async function createKey(
  store: Store,
  tiers: TierTable,
  tenant: string,
  key: Required<NewKey>,
  by: Author,
): Promise<{ readonly row: KeyRow; readonly isNew: boolean }> {
  const { digest: _, sealed: __, ...details } = key;
  try {
    const row = await changeRecord(store, tenant, { ...by, action: 'key.create', details }, async (tx) => {
      const made = await insertKey(tx, tenant, key, false);
      const [of] = await tx.select({ tier: tenants.tier }).from(tenants).where(eq(tenants.id, tenant));
      const [existing] = await tx.select({ keys: count() }).from(apiKeys).where(eq(apiKeys.tenantId, tenant));
      if ((existing?.keys ?? 0) > MAX_KEYS) throw new HoldfastError('refused', `a tenant has at most ${MAX_KEYS} keys`);
      const limit = of === undefined ? null : tiers[of.tier].apiKeys;
      if (of !== undefined && limit !== null && (existing?.keys ?? 0) > limit) {
        const hit = { limitType: 'ApiKeys', limit, tier: of.tier, asked: 1, retryAfter: RETRY_AFTER_S } as const;
        throw tierLimitError(tiers, hit);
      }
      return made;
    });
    return { row, isNew: true };
  } catch (error) {
    if (!(error instanceof IdInUse)) throw error;
    const [row] = await store.database
      .of(tenant)
      .run((db) => db.select(COLUMNS).from(apiKeys).where(ofTenant(tenant, key.id)));
    if (row === undefined || !isSame(row, key)) throw error;
    return { row, isNew: false };
  }
}

const isSame = (row: KeyRow, key: Required<NewKey>): boolean =>
  row.label === key.label &&
  row.permission === key.permission &&
  row.prefix === key.prefix &&
  row.expiresAt?.getTime() === key.expiresAt?.getTime();

/** A change of a key. Fields that are undefined stay as they are. */
export interface KeyChange {
  readonly label?: string | null | undefined;
  readonly permission?: KeyLimits['permission'] | undefined;
  readonly prefix?: string | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/**
 * Changes what a key is called and may do. The change holds when this returns.
 * @throws HoldfastError unknown; refused, for a limit of the default key; the errors of changeRecord()
 */
export const changeKey = (store: Store, tenant: string, of: string, change: KeyChange, by: Author): Promise<KeyRow> =>
  changeRecord(store, tenant, { ...by, action: 'key.change', details: { id: of, ...change } }, async (tx) => {
    // An update has to set some column, also if the change is empty.
    const [row] = await tx
      .update(apiKeys)
      .set({ ...change, id: of })
      .where(ofTenant(tenant, of))
      .returning(COLUMNS);
    if (row === undefined) throw noSuchKey();
    if (row.isDefault && grantOf(row) !== null)
      throw new HoldfastError('refused', 'the default key cannot be restricted, and does not end');
    return row;
  });

/**
 * Gives a key another value. The old value is invalid when this returns.
 * @throws HoldfastError unknown; the errors of changeRecord()
 */
export const rotateKey = (store: Store, tenant: string, of: string, value: KeyValue, by: Author): Promise<KeyRow> =>
  changeRecord(
    store,
    tenant,
    ({ id, label }) => ({ ...by, action: 'key.rotate', details: { id, label } }),
    async (tx) => {
      const [row] = await tx
        .update(apiKeys)
        .set({ ...value, rotatedAt: sql`now()` })
        .where(ofTenant(tenant, of))
        .returning(COLUMNS);
      if (row === undefined) throw noSuchKey();
      return row;
    },
  );

/**
 * Deletes a key. It is invalid when this returns.
 * @throws HoldfastError unknown; refused, for the default key; the errors of changeRecord()
 */
export const deleteKey = (store: Store, tenant: string, of: string, by: Author): Promise<KeyRow> =>
  changeRecord(
    store,
    tenant,
    ({ id, label }) => ({ ...by, action: 'key.delete', details: { id, label } }),
    async (tx) => {
      const [row] = await tx.delete(apiKeys).where(ofTenant(tenant, of)).returning(COLUMNS);
      if (row === undefined) throw noSuchKey();
      if (row.isDefault) throw new HoldfastError('refused', 'the default key can only be rotated');
      return row;
    },
  );
