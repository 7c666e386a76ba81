/**
 * Entries of the audit trail are kept for a time (docs/specification.md#audit-trail).
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_TIERS, TIERS, type Tier, type TierTable } from '../../src/domain/tiers.ts';
import { auditPage, deleteOldEntries } from '../../src/store/audit.ts';
import { audit } from '../../src/store/schema.ts';
import { makeTenant } from '../support/service.ts';
import { KINDS, makeStore, type OwnStore, storeTenant } from '../support/tenancy.ts';

const AGES = [0, 29, 31, 89, 91, 364, 366, 3000];

describe.each(Object.entries(KINDS))('in %s', (_, makeKind) => {
  let store: OwnStore;
  beforeAll(async () => {
    store = await makeStore({ make: makeKind });
  });
  afterAll(() => store.close());

  /** Makes a tenant with an entry of each age in days, and nothing else. */
  async function tenantOf(tier: Tier | null): Promise<string> {
    const tenant = tier === null ? makeTenant() : (await storeTenant(store, tier)).tenant;
    const entry = { tenantId: tenant, actor: 'key', action: 'key.create' };
    const rows = AGES.map((days) => ({ ...entry, at: sql<Date>`now() - ${days} * interval '1 day'` }));
    await store.database.run(async (db) => {
      await db.execute(sql`delete from ${audit} where tenant_id = ${tenant}`);
      await db.insert(audit).values(rows);
    });
    return tenant;
  }
  const agesOf = async (tenant: string) => {
    const rows = await auditPage(store.database, { tenant }, undefined, 100);
    return rows.map(({ at }) => Math.round((Date.now() - at.getTime()) / 86_400_000));
  };
  const kept = (days: number | null) => AGES.filter((age) => days === null || age < days);

  test('each tier keeps them for its days; of a deleted tenant they are kept for 365 days', async () => {
    const tiers: TierTable = { ...DEFAULT_TIERS, Starter: { ...DEFAULT_TIERS.Starter, auditDays: 60 } };
    const days = { Free: 30, Starter: 60, Pro: 365, Enterprise: null };
    const tenants = await Promise.all(TIERS.map(async (tier) => [await tenantOf(tier), days[tier]] as const));
    const gone = await tenantOf(null);
    await deleteOldEntries(store.database, tiers);
    for (const [tenant, limit] of [...tenants, [gone, 365] as const]) expect(await agesOf(tenant)).toEqual(kept(limit));
    expect(await deleteOldEntries(store.database, tiers)).toBe(0);
  });

  test('however many tenants and entries there are', async () => {
    await store.database.run((db) =>
      db.execute(sql`
        insert into ${audit} (tenant_id, actor, action, at)
        select 'many-' || i % 503, 'key', 'key.create', now() - interval '1000 days' from generate_series(1, 503 * 2) i
        union all
        select 'most', 'key', 'key.create', now() - interval '1000 days' from generate_series(1, 2500) i`),
    );
    expect(await deleteOldEntries(store.database, DEFAULT_TIERS)).toBe(503 * 2 + 2500);
  });
});
