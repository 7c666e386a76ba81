/**
 * Two instances on one database of their own, with a tenant, for the tests of one file.
 */
import { afterAll, beforeAll } from 'vitest';
import type { Tier } from '../../src/domain/tiers.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { type Instance, type InstanceOptions, startInstance } from './service.ts';
import { startWithoutRenewals } from './streams.ts';
import { databaseEnv, KINDS, type OpenStore, openStore, storeTenant, type TestDatabase } from './tenancy.ts';

/** Their database. */
export let made: TestDatabase;
export let store: OpenStore;
/** The tenant, with its default key, which requests to the instances have. */
export let own: ConfiguredKey;
export let one: Instance;
export let other: Instance;

/** Starts them before the tests of the file that calls this, and stops them afterwards. */
export function useTwoInstances(tier?: Tier, more: () => Pick<InstanceOptions, 'env' | 'slack'> = () => ({})): void {
  beforeAll(async () => {
    made = await KINDS.Postgres();
    store = await openStore(made.url);
    own = await storeTenant(store, tier);
    const { env, ...options } = more();
    const start = () => startInstance({ keys: [own], env: { ...databaseEnv(made.url), ...env }, ...options });
    [one, other] = await startWithoutRenewals(() => Promise.all([start(), start()]));
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await store.close();
    await made.drop();
  });
}
