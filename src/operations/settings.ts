/**
 * A tenant's settings (docs/specification.md#what-a-name-means, #requests-that-wait). For people who have signed in.
 */
import type { SettingsChange } from '../contract/tenant.ts';
import type { Charged } from '../domain/quota.ts';
import { chargeWrite } from '../engine/tenant/charge.ts';
import type { Store } from '../store/records.ts';
import { putSettings, readTenant, type Settings } from '../store/tenants.ts';
import { charged, countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { actorName, type Person } from './person.ts';

type SettingsDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads'> & { readonly store: Store };

/**
 * Reads the settings. Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const readSettings = (deps: SettingsDeps, { credential }: Person): Promise<Charged<Settings>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential), async () => {
      const { requireRegistration, maxPriority } = await readTenant(deps.store, credential.tenant);
      return { requireRegistration, maxPriority };
    }),
  );

/**
 * Changes the settings that are given. Costs one write.
 * @returns all settings
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const changeSettings = (
  deps: SettingsDeps,
  person: Person,
  change: SettingsChange,
): Promise<Charged<Settings>> =>
  countUse(
    deps,
    person.credential,
    charged(chargeWrite(deps.engine, person.credential), () =>
      putSettings(deps.store, person.credential.tenant, change, actorName('user', person)),
    ),
  );
