/**
 * Adds tenants to those that an instance is started with. Their records are written to Redis as the service does when a
 * tenant is first used, so that there can be more of them than fit into an environment variable.
 */
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { type ConfiguredKey, configuredTenants } from '../../src/identity/configured.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { makeTenant, type Stage } from '../stage.ts';

/** The number of tenants at a time. */
const LOADED = 500;

/** Loads tenants into Redis. */
export async function settle({ redis }: Stage, names: readonly string[]): Promise<ConfiguredKey[]> {
  const tenants = names.map(makeTenant);
  const records = [...configuredTenants(tenants).values()];
  for (let i = 0; i < records.length; i += LOADED)
    await Promise.all(
      records.slice(i, i + LOADED).map((record) => loadTenant(redis, record, { definitionsVersion: 0, lease: null })),
    );
  return tenants;
}

/** Returns the stage with another tenant, which the engine in this process acts for. */
export const actingFor = (stage: Stage, tenant: ConfiguredKey): Stage => ({
  ...stage,
  tenant,
  credential: { tenant: tenant.tenant, credentialKey: digestOf(tenant.key), kind: 'key' },
});
