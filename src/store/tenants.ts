/**
 * Tenants: created at a first sign-in or by administrators, who also change them
 * (docs/specification.md#tenants-and-administration, #dashboard-and-sign-in).
 */
import { count, eq } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import type { Membership } from '../domain/memberships.ts';
import { type Settings, settingsOf } from '../domain/tenants.ts';
import type { Tier } from '../domain/tiers.ts';
import { type Author, differences, note, TENANT_DELETE } from './audit.ts';
import type { Db } from './db.ts';
import { insertKey, type NewKey } from './keys.ts';
import { changeRecord, noSuchTenant, type Store } from './records.ts';
import { apiKeys, audit, tenants } from './schema.ts';

export interface Tenant extends Settings {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
}

export const TENANT_COLUMNS = {
  id: tenants.id,
  name: tenants.name,
  tier: tenants.tier,
  suspendedAt: tenants.suspendedAt,
  requireRegistration: tenants.requireRegistration,
  maxPriority: tenants.maxPriority,
  defaultTtlSeconds: tenants.defaultTtlSeconds,
  maxTtlSeconds: tenants.maxTtlSeconds,
  requireNote: tenants.requireNote,
  holdersReport: tenants.holdersReport,
  endsSoonSeconds: tenants.endsSoonSeconds,
  maxBookingSeconds: tenants.maxBookingSeconds,
  bookingsPerRequester: tenants.bookingsPerRequester,
  createdAt: tenants.createdAt,
};

export interface NewTenant {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  /** Its default key. */
  readonly key: NewKey;
}

/**
 * Inserts a tenant with its default key, in a transaction. The tenant is loaded into Redis when it is first used.
 * @returns the membership of its first owner, who is not inserted yet
 * @throws an error that isDuplicate() recognizes, if the tenant exists
 */
export async function insertTenant(tx: Db, { id, name, tier, key }: NewTenant, by: Author): Promise<Membership> {
  await tx.insert(tenants).values({ id, name, tier });
  await insertKey(tx, id, key, true);
  await note(tx, id, { ...by, action: 'tenant.create', details: { tier } });
  return { tenant: id, name, role: 'owner' };
}

/** Returns true if a tenant has, or had, an id: a new one with it would see the audit trail of the one before. */
export async function wasTenant(tx: Db, id: string): Promise<boolean> {
  const [trace] = await tx.select({ id: audit.id }).from(audit).where(eq(audit.tenantId, id)).limit(1);
  return trace !== undefined;
}

/**
 * Deletes a tenant with its keys, members and definitions. Its audit trail stays. Does nothing if there is no such
 * tenant.
 * @throws HoldfastError unavailable
 */
export const deleteTenant = ({ database }: Store, id: string, by: Author): Promise<void> =>
  database.transaction(async (tx) => {
    const [deleted] = await tx
      .delete(tenants)
      .where(eq(tenants.id, id))
      .returning({ name: tenants.name, tier: tenants.tier });
    if (deleted !== undefined) await note(tx, id, { ...by, action: TENANT_DELETE, details: deleted });
  });

/** @throws HoldfastError unknown, unavailable */
export async function readTenant({ database }: Store, id: string): Promise<Tenant> {
  const [tenant] = await database.of(id).run((db) => db.select(TENANT_COLUMNS).from(tenants).where(eq(tenants.id, id)));
  if (tenant === undefined) throw noSuchTenant();
  return tenant;
}

/** Counts a tenant's keys. */
export async function countKeys({ database }: Store, tenant: string): Promise<number> {
  const [row] = await database
    .of(tenant)
    .run((db) => db.select({ keys: count() }).from(apiKeys).where(eq(apiKeys.tenantId, tenant)));
  return row?.keys ?? 0;
}

/** Gives a tenant another tier, from the next request on. Throws the errors of changeRecord(). */
export const setTier = (store: Store, id: string, tier: Tier, by: Author): Promise<unknown> =>
  changeRecord(store, id, { ...by, action: 'tier.change', details: { tier } }, (tx) =>
    tx.update(tenants).set({ tier }).where(eq(tenants.id, id)),
  );

/**
 * Suspends a tenant: its requests get 403 from now on, and its event streams end. Throws the errors of changeRecord().
 */
export const suspendTenant = (store: Store, id: string, by: Author): Promise<unknown> =>
  changeRecord(
    store,
    id,
    { ...by, action: 'tenant.suspend' },
    (tx) => tx.update(tenants).set({ suspendedAt: new Date() }).where(eq(tenants.id, id)),
    null,
  );

/** Ends a suspension. Throws the errors of changeRecord(). */
export const resumeTenant = (store: Store, id: string, by: Author): Promise<unknown> =>
  changeRecord(store, id, { ...by, action: 'tenant.resume' }, (tx) =>
    tx.update(tenants).set({ suspendedAt: null }).where(eq(tenants.id, id)),
  );

/**
 * Changes a tenant's settings: those that are given. The audit trail has those that differ, each as it was and is.
 * Throws the errors of changeRecord().
 * @returns all settings
 * @throws HoldfastError refused if the default lease would exceed the longest one
 */
export async function putSettings(
  store: Store,
  id: string,
  change: { readonly [Name in keyof Settings]?: Settings[Name] | undefined },
  by: Author,
): Promise<Settings> {
  const entry = ({ before, after }: { readonly before: Settings; readonly after: Settings }) => ({
    ...by,
    action: 'settings.change',
    details: differences(before, after),
  });
  const { after } = await changeRecord(store, id, entry, async (tx) => {
    const [before] = await tx.select(TENANT_COLUMNS).from(tenants).where(eq(tenants.id, id));
    const [after] = await tx
      .update(tenants)
      .set({ id, ...change })
      .where(eq(tenants.id, id))
      .returning(TENANT_COLUMNS);
    if (before === undefined || after === undefined) throw noSuchTenant();
    const { defaultTtlSeconds, maxTtlSeconds } = after;
    if (defaultTtlSeconds !== null && maxTtlSeconds !== null && defaultTtlSeconds > maxTtlSeconds)
      throw new HoldfastError('refused', `defaultTtlSeconds must be at most maxTtlSeconds, which is ${maxTtlSeconds}`);
    return { before: settingsOf(before), after: settingsOf(after) };
  });
  return after;
}
