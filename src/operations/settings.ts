/**
 * A tenant's settings (docs/specification.md#settings). For people and management tokens.
 */
import type { SettingsChange } from '../contract/tenant.ts';
import type { Charged } from '../domain/quota.ts';
import { type Settings, settingsOf } from '../domain/tenants.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import type { Store } from '../store/records.ts';
import { putSettings, readTenant } from '../store/tenants.ts';
import type { Actor } from './actor.ts';
import { charged, countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';

export type SettingsDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads'> & { readonly store: Store };

/**
 * Reads the settings. Costs one read.
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
