/**
 * A change of definitions that fails after it was charged still tells its caller the remaining quota.
 */
import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { changeInDatabase } from '../../src/definitions/changeInDatabase.ts';
import { WorkingCopy } from '../../src/definitions/workingCopy.ts';
import { HoldfastError } from '../../src/domain/errors.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { tenants } from '../../src/store/schema.ts';
import { KINDS, openStore, storeTenant } from '../support/tenancy.ts';

test('a change that meets another version, and cannot refresh its copy, has the quota in its error', async () => {
  const made = await KINDS.Postgres();
  const store = await openStore(made.url);
  defineScripts(store.redis, loadScripts(DEFAULT_TIERS));
  const copy = new WorkingCopy(store.database, { redis: store.redis, tiers: DEFAULT_TIERS });
  const engine = { redis: store.redis, tiers: DEFAULT_TIERS, loadTenant: (id: string) => copy.refresh(id) };
  const changes = changeInDatabase(store.database, engine, copy, 16);
  const { tenant, key } = await storeTenant(store);
  const credential: Credential = { tenant, credentialKey: digestOf(key), kind: 'key' };
  const register = () => changes.register(credential, [{ name: 'room', capacity: 1, blocks: [], treePath: null }]);
  const { quota } = await register();
  await store.database.run((db) => db.update(tenants).set({ definitionsVersion: 900 }).where(eq(tenants.id, tenant)));
  vi.spyOn(copy, 'refresh').mockRejectedValue(new HoldfastError('unavailable', 'The tenant is being loaded.'));

  const error = await register().catch((thrown: unknown) => thrown);
  if (!(error instanceof HoldfastError)) throw error;
  expect(error.code).toBe('unavailable');
  expect(error.quota.map(({ limitType, limit }) => [limitType, limit])).toEqual(
    quota.map(({ limitType, limit }) => [limitType, limit]),
  );
  expect(error.quota.length).toBeGreaterThan(0);
  await store.close();
  await made.drop();
});
