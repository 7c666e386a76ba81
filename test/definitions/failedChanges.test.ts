/**
 * A change of definitions that fails tells its caller the remaining quota, and opens the names that it has closed to
 * reservations, but none that another change has closed.
 */
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { changeInDatabase } from '../../src/definitions/changeInDatabase.ts';
import type { WorkingCopy } from '../../src/definitions/workingCopy.ts';
import { HoldfastError } from '../../src/domain/errors.ts';
import type { Quota } from '../../src/domain/quota.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { type Deleted, deleteDefinition, PLAN } from '../../src/engine/definitions/changes.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { tenants } from '../../src/store/schema.ts';
import { engineOn, makeStore, type OwnStore, storeTenant } from '../support/tenancy.ts';
import { reserve, unreserve } from '../support/verbs.ts';

describe('a change of definitions that fails', () => {
  let store: OwnStore;
  let copy: WorkingCopy;
  let engine: Engine;
  let changes: ReturnType<typeof changeInDatabase>;
  let credential: Credential;
  let quota: readonly Quota[];
  const register = () => changes.register(credential, [{ name: 'room', capacity: 1, blocks: [], treePath: null }]);
  const unavailable = (message: string) => new HoldfastError('unavailable', message);
  const failWriting = () =>
    vi.spyOn(store.database, 'of').mockImplementation(() => {
      throw unavailable('The database is away.');
    });
  const failRefreshing = () => vi.spyOn(copy, 'refresh').mockRejectedValue(unavailable('The tenant is being loaded.'));

  beforeAll(async () => {
    store = await makeStore();
    ({ engine, copy, changes } = engineOn(store));
    const { tenant, key } = await storeTenant(store);
    credential = { tenant, credentialKey: digestOf(key), kind: 'key' };
    quota = (await register()).quota;
    // Each change from now on meets another version than it planned for.
    await store.database.run((db) => db.update(tenants).set({ definitionsVersion: 900 }).where(eq(tenants.id, tenant)));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => store.close());

  test('after it was charged still tells its caller the remaining quota', async () => {
    failRefreshing();
    const error = await register().catch((thrown: unknown) => thrown);
    if (!(error instanceof HoldfastError)) throw error;
    expect(error.code).toBe('unavailable');
    expect(error.quota.map(({ limitType, limit }) => [limitType, limit])).toEqual(
      quota.map(({ limitType, limit }) => [limitType, limit]),
    );
    expect(error.quota.length).toBeGreaterThan(0);
  });

  test.each(['before it', 'after it'])('leaves a name closed that another deletion has closed %s', async (when) => {
    const plan = () => deleteDefinition(engine, credential, 'room', false, PLAN);
    let other = when === 'before it' ? await plan() : undefined;
    let later: Promise<Deleted> | undefined;
    vi.spyOn(store.database, 'of').mockImplementation(() => {
      if (other === undefined) later ??= plan();
      throw unavailable('The database is away.');
    });
    await expect(changes.delete(credential, 'room', false)).rejects.toMatchObject({ code: 'unavailable' });
    other ??= await later;
    const [held] = await reserve(engine, credential, [{ resource: 'room', requester: 'r' }]);
    expect(held).toMatchObject({ status: 'NOT_AVAILABLE' });
    await store.redis.hdel(`{${credential.tenant}}:definitions`, '\x02room');
  });

  test.each([
    ['while it is written to the database', failWriting],
    ['while it is planned again', failRefreshing],
  ])('%s opens the names that it has closed to reservations', async (_, fail) => {
    fail();
    await expect(changes.delete(credential, 'room', false)).rejects.toMatchObject({ code: 'unavailable' });
    const [held] = await reserve(engine, credential, [{ resource: 'room', requester: 'r' }]);
    expect(held).toMatchObject({ status: 'ACQUIRED' });
    await unreserve(engine, credential, [{ resource: 'room', requester: 'r', releaseToken: held?.releaseToken ?? '' }]);
  });
});
