/**
 * Two instances on one database of their own, with a tenant, for the tests of one file.
 */
import { afterAll, beforeAll } from 'vitest';
import type { Tier } from '../../src/domain/tiers.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { type Instance, type InstanceOptions, startInstance } from './service.ts';
import { startWithoutRenewals } from './streams.ts';
import { databaseEnv, makeStore, type OwnStore, storeTenant } from './tenancy.ts';

/** Their database. */
export let store: OwnStore;
/** The tenant, with its default key, which requests to the instances have. */
export let own: ConfiguredKey;
export let one: Instance;
export let other: Instance;

/** Starts them before the tests of the file that calls this, and stops them afterwards. */
export function useTwoInstances(tier?: Tier, more: () => Pick<InstanceOptions, 'env' | 'slack'> = () => ({})): void {
  beforeAll(async () => {
    store = await makeStore();
    own = await storeTenant(store, tier);
    const { env, ...options } = more();
    const start = () => startInstance({ keys: [own], env: { ...databaseEnv(store.url), ...env }, ...options });
    [one, other] = await startWithoutRenewals(() => Promise.all([start(), start()]));
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await store.close();
  });
}
