/**
 * A tenant as a whole: reads its tier, limits and usage (docs/specification.md#tenants-and-administration), reads and
 * changes its settings, and deletes it.
 */

import type { SettingsChange } from '../contract/tenant.ts';
import { afterCharge, HoldfastError } from '../domain/errors.ts';
import type { Charged } from '../domain/quota.ts';
import { type Credential, type Settings, settingsOf } from '../domain/tenants.ts';
import type { Tier, TierLimits } from '../domain/tiers.ts';
import { verifyCredential } from '../engine/tenant/credentials.ts';
import { purgeTenant } from '../engine/tenant/record.ts';
import { chargeWrite, type Usage, usage } from '../engine/tenant/usage.ts';
import type { Store } from '../store/records.ts';
import { countSubscriptions } from '../store/subscriptions.ts';
import * as rows from '../store/tenants.ts';
import { countKeys, putSettings, readTenant } from '../store/tenants.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { type Actor, refuseToken } from './permissions.ts';

export interface TenantUsage {
  id: string;
  name: string;
  tier: Tier;
  limits: TierLimits;
  usage: Omit<Usage, 'tier'> & { apiKeys: number; notices: number };
}

/**
 * Reads the tier, its limits and the usage of them. Costs one read.
 * @returns the tenant, and the remaining quota
 * @throws HoldfastError unauthenticated, unavailable; forbidden for a derived token or a suspended tenant; LimitError
 */
export async function tenantUsage(
  deps: Pick<OperationDeps, 'engine' | 'activity'> & { readonly store: Store },
  credential: Credential,
): Promise<Charged<TenantUsage>> {
  refuseToken(credential);
  const { engine, store } = deps;
  const describe = async ({ tier, ...used }: Usage): Promise<TenantUsage> => {
    const { id, name } = await readTenant(store, credential.tenant);
    const [apiKeys, notices] = [await countKeys(store, id), await countSubscriptions(store, id)];
    return { id, name, tier, limits: engine.tiers[tier], usage: { ...used, apiKeys, notices } };
  };
  const read = async (): Promise<Charged<TenantUsage>> => {
    const { quota, result } = await usage(engine, credential, 1);
    return { quota, result: await afterCharge(quota, () => describe(result)) };
  };
  return countUse(deps, credential, read());
}

/**
 * Deletes the tenant: its reservations, sessions, streams and keys have ended on every instance when this returns. Its
 * audit trail stays. Costs nothing.
 * @param confirmed the id of the tenant, as the caller wrote it
 * @throws HoldfastError refused if that is another id; unauthenticated, forbidden, unavailable: repeat the call
 */
export async function deleteTenant(
  { engine, store }: Pick<OperationDeps, 'engine'> & { readonly store: Store },
  by: Actor,
  confirmed: string,
): Promise<void> {
  const { tenant } = by.credential;
  await verifyCredential(engine, by.credential, 'tenant');
  if (confirmed !== tenant) throw new HoldfastError('refused', `To delete this tenant, confirm its id: ${tenant}`);
  // The database first: from then on nothing loads the tenant into Redis again.
  await rows.deleteTenant(store, tenant, by);
  await purgeTenant(engine, tenant);
}

export type SettingsDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads'> & { readonly store: Store };

/**
 * Reads the settings (docs/specification.md#settings). Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const readSettings = (deps: SettingsDeps, { credential }: Actor): Promise<Charged<Settings>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'settings'), async () =>
      settingsOf(await readTenant(deps.store, credential.tenant)),
    ),
  );

/**
 * Changes the settings that are given. Costs one write.
 * @returns all settings
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const changeSettings = (deps: SettingsDeps, by: Actor, change: SettingsChange): Promise<Charged<Settings>> =>
  countUse(
    deps,
    by.credential,
    charged(chargeWrite(deps.engine, by.credential, 'settings'), () =>
      putSettings(deps.store, by.credential.tenant, change, by),
    ),
  );
