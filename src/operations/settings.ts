/**
 * A tenant's settings (docs/specification.md#what-a-name-means). For people who have signed in.
 */
import type { Charged } from '../domain/quota.ts';
import { chargeWrite } from '../engine/tenant/charge.ts';
import type { Store } from '../store/records.ts';
import { putSettings, readTenant } from '../store/tenants.ts';
import { charged, countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';
import { actorName, type Person } from './person.ts';

export interface Settings {
  /** Whether only registered resources may be reserved. */
  readonly requireRegistration: boolean;
}

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
      const { requireRegistration } = await readTenant(deps.store, credential.tenant);
      return { requireRegistration };
    }),
  );

/**
 * Changes the settings. Costs one write.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const changeSettings = (
  deps: SettingsDeps,
  person: Person,
  { requireRegistration }: Settings,
): Promise<Charged<Settings>> =>
  countUse(
    deps,
    person.credential,
    charged(chargeWrite(deps.engine, person.credential), async () => {
      await putSettings(deps.store, person.credential.tenant, { requireRegistration }, actorName('user', person));
      return { requireRegistration };
    }),
  );
