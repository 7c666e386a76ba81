/**
 * Tenants besides those that an instance is started with: their records are put into Redis as the service puts them
 * there when a tenant is first needed, so that there may be more of them than an environment variable can name.
 */
import { loadTenant } from '../../src/engine/tenant/load.ts';
import { type ConfiguredKey, configuredTenants } from '../../src/identity/configuredTenants.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { makeTenant, type Stage } from '../stage.ts';

/** At a time. */
const LOADED = 500;

/** Makes tenants known to Redis. */
export async function settle({ redis }: Stage, names: readonly string[]): Promise<ConfiguredKey[]> {
  const tenants = names.map(makeTenant);
  const records = [...configuredTenants(tenants).values()];
  for (let i = 0; i < records.length; i += LOADED)
    await Promise.all(
      records.slice(i, i + LOADED).map((record) => loadTenant(redis, record, { definitionsVersion: 0, lease: null })),
    );
  return tenants;
}

/** The stage as it is for a tenant: the engine in this process acts for it. */
export const actingFor = (stage: Stage, tenant: ConfiguredKey): Stage => ({
  ...stage,
  tenant,
  credential: { tenant: tenant.tenant, credentialKey: digestOf(tenant.key), kind: 'key' },
});
