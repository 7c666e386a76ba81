/** The tenants of a campaign: in API_KEYS, or in the database. */
import type { Tier } from '../../../src/domain/tiers.ts';
import { digestOf, makeKey, Sealer } from '../../../src/identity/credentials.ts';
import { Database } from '../../../src/store/database.ts';
import { insertTenant } from '../../../src/store/tenants.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import type { Random } from '../random.ts';
import type { Tenant } from '../system.ts';
import { QUOTA } from '../things.ts';

const TIER_OF: Readonly<Record<Tenant['use'], Tier>> = {
  main: 'Enterprise',
  quota: 'Starter',
  leases: 'Enterprise',
  turned: 'Enterprise',
};

/** For TIERS: what the callers of the tenant `quota` exceed. */
export const SMALL_LIMITS = { Starter: QUOTA };

/** Makes up tenants. Their ids come again with the seed, and so do their slots in a cluster. */
export function makeTenants(random: Random, hasDatabase: boolean): readonly Tenant[] {
  const uses: readonly Tenant['use'][] = ['main', 'quota', 'leases', ...(hasDatabase ? (['turned'] as const) : [])];
  return uses.map((use) => {
    const tenant = `${use}-${random.between(0, 1e9).toString(36)}`;
    return { use, tenant, key: makeKey(tenant) };
  });
}

/** The value of API_KEYS. */
export const apiKeysOf = (tenants: readonly Tenant[]): string =>
  JSON.stringify(tenants.map(({ use, tenant, key }) => ({ key, tenant, tier: TIER_OF[use] })));

/** Stores them in the database, and brings its schema up to date. */
export async function storeTenants(tenants: readonly Tenant[], url: string, keySecret: string): Promise<void> {
  const database = await Database.open(url, 1, createLogger('silent'));
  const sealer = new Sealer(keySecret);
  try {
    for (const { use, tenant, key } of tenants) {
      const row = { digest: digestOf(key), sealed: await sealer.seal(key), label: null };
      await database.transaction((tx) =>
        insertTenant(
          tx,
          { id: tenant, name: `Tenant ${tenant}`, tier: TIER_OF[use], key: row },
          { actor: 'person:the campaign', address: null },
        ),
      );
    }
  } finally {
    await database.close();
  }
}
