/**
 * Reads a tenant's tier, limits and usage (docs/specification.md#tenants-and-administration). Costs one read.
 */
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Tier, TierLimits } from '../domain/tiers.ts';
import { type Usage, usage } from '../engine/tenant/usage.ts';
import type { Store } from '../store/records.ts';
import { countKeys, readTenant } from '../store/tenants.ts';
import { charged, countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { refuseToken } from './permissions.ts';

export interface TenantUsage {
  id: string;
  name: string;
  tier: Tier;
  limits: TierLimits;
  usage: Omit<Usage, 'tier'> & { apiKeys: number };
}

/**
 * @returns the tenant, and the remaining quota
 * @throws HoldfastError unauthenticated, unavailable; forbidden for a derived token or a suspended tenant; LimitError
 */
export async function tenantUsage(
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads'> & { readonly store: Store },
  credential: Credential,
): Promise<Charged<TenantUsage>> {
  refuseToken(credential);
  const { engine, reads, store } = deps;
  const read = async (): Promise<TenantUsage> => {
    const { tier, ...used } = await usage(engine, credential);
    const { id, name } = await readTenant(store, credential.tenant);
    const apiKeys = await countKeys(store, id);
    return { id, name, tier, limits: engine.tiers[tier], usage: { ...used, apiKeys } };
  };
  return countUse(deps, credential, charged(reads.charge(credential, 'usage'), read));
}
