/**
 * The tests that definitions survive (docs/specification.md#store-modes-and-start): the database is right, and Redis
 * follows it, in whatever order things go wrong.
 */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import { changeInDatabase } from '../../src/definitions/changeInDatabase.ts';
import { WorkingCopy } from '../../src/definitions/workingCopy.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { PLAN, register } from '../../src/engine/definitions/changes.ts';
import { detailsOf, toStored } from '../../src/engine/definitions/codec.ts';
import { copyDefinitions, takeCopyLease } from '../../src/engine/definitions/copy.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { definitions as rows, tenants } from '../../src/store/schema.ts';
import { forget } from '../support/hotRecord.ts';
import { allDefinitions } from '../support/listed.ts';
import { startInstance } from '../support/service.ts';
import {
  databaseEnv,
  engineOn,
  KINDS,
  type OpenStore,
  openStore,
  storeTenant,
  type TestDatabase,
} from '../support/tenancy.ts';
import { reserve, unreserve } from '../support/verbs.ts';

/** Declares the tests, on a database of one kind. */
export function definitionsSurvive(kind: keyof typeof KINDS): void {
  let made: TestDatabase;
  let store: OpenStore;
  let engine: Engine;
  let copy: WorkingCopy;
  let changes: ReturnType<typeof changeInDatabase>;
  let credential: Credential;
  let tenant: string;
  beforeAll(async () => {
    made = await KINDS[kind]();
    store = await openStore(made.url);
    ({ engine, copy, changes } = engineOn(store));
    const stored = await storeTenant(store);
    tenant = stored.tenant;
    credential = { tenant, credentialKey: digestOf(stored.key), kind: 'key' };
  });
  afterAll(async () => {
    await store.close();
    await made.drop();
  });

  const item = (name: string, capacity = 1, treePath: string[] = [], blocks: string[] = []) => ({
    name,
    capacity,
    treePath: treePath.join('>') || null,
    blocks,
  });
  const inDatabase = async () =>
    (await store.database.run((db) => db.select().from(rows).where(eq(rows.tenantId, tenant))))
      .map(({ name, capacity, blocks, parent, isGroup, labels }) => ({
        ...{ name, capacity, blocks, parent },
        ...detailsOf(isGroup, labels),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  const inRedis = async () =>
    (await allDefinitions(engine, credential)).map(({ treePath, ...row }) => ({
      ...row,
      parent: treePath?.split('>').at(-1) ?? null,
    }));
  const names = async () => (await allDefinitions(engine, credential)).map(({ name }) => name);

  describe('what is registered', () => {
    test('is in the database and in Redis alike, ancestors included', async () => {
      await changes.register(credential, [item('room', 3, ['house', 'floor'], ['key']), item('house', 9)]);
      expect(await inDatabase()).toEqual([
        { name: 'floor', capacity: 1, blocks: [], parent: 'house' },
        { name: 'house', capacity: 9, blocks: [], parent: null },
        { name: 'room', capacity: 3, blocks: ['key'], parent: 'floor' },
      ]);
      expect(await inRedis()).toEqual(await inDatabase());
    });

    test('has its group and labels in both', async () => {
      const before = await inDatabase();
      const phones = { name: 'phones', capacity: null, blocks: [], treePath: null, group: true };
      await changes.register(credential, [
        phones,
        { ...item('phone', 1, ['phones']), labels: { size: 'xl', os: 'android' } },
      ]);
      const details = async () => (await inDatabase()).map(({ name, group, labels }) => [name, group, labels]);
      const stored = [
        ['phone', undefined, { os: 'android', size: 'xl' }],
        ['phones', true, undefined],
      ];
      expect((await details()).filter(([name]) => String(name).startsWith('phone'))).toEqual(stored);
      const listed = await allDefinitions(engine, credential);
      await forget(store.redis, tenant);
      expect(await allDefinitions(engine, credential)).toEqual(listed);
      await changes.register(credential, [item('phone', 2, ['phones'])]);
      expect((await details()).filter(([name]) => String(name).startsWith('phone'))).toEqual(stored);
      expect((await allDefinitions(engine, credential)).filter(({ name }) => name.startsWith('phone'))).toMatchObject([
        { name: 'phone', capacity: 2, labels: { os: 'android', size: 'xl' } },
        phones,
      ]);
      await changes.delete(credential, 'phones', true);
      expect(await inDatabase()).toEqual(before);
    });

    test('comes back where Redis has lost it', async () => {
      await forget(store.redis, tenant);
      expect(await inRedis()).toEqual(await inDatabase());
      const [result] = await reserve(engine, credential, [{ resource: 'room', requester: 'r' }]);
      expect(result).toMatchObject({ status: 'ACQUIRED', reservedAtPath: 'house>floor>room' });
      await unreserve(engine, credential, [
        { resource: 'room', requester: 'r', releaseToken: result?.releaseToken ?? '' },
      ]);
    });

    test('and refused is in neither', async () => {
      await expect(changes.register(credential, [item('room', 1, ['elsewhere', 'floor'])])).rejects.toThrow(/treePath/);
      expect((await inDatabase()).map(({ name }) => name)).toEqual(['floor', 'house', 'room']);
    });

    test('and moved is moved in both', async () => {
      await changes.register(credential, [item('floor', 2, ['tower'])]);
      expect(await inRedis()).toEqual(await inDatabase());
      expect((await allDefinitions(engine, credential)).find(({ name }) => name === 'room')?.treePath).toBe(
        'tower>floor',
      );
    });
  });

  describe('while definitions are being changed', () => {
    test('a reserve goes by the present ones: those that are only planned are not in force', async () => {
      const present = await inRedis();
      await register(engine, credential, [item('planned', 2)], PLAN);
      expect(await inRedis()).toEqual(present);
      const both = ['r', 's'].map((requester) => ({ resource: 'planned', requester }));
      const [held, refused] = await reserve(engine, credential, both);
      expect([held?.status, refused?.status]).toEqual(['ACQUIRED', 'ALREADY_HELD']);
      await unreserve(engine, credential, [
        { resource: 'planned', requester: 'r', releaseToken: held?.releaseToken ?? '' },
      ]);
    });

    test('a copy that was read before the change is given up, and Redis has the new ones', async () => {
      const { redis } = store;
      expect(await takeCopyLease(redis, tenant, 'older')).toBe(true);
      await changes.register(credential, [item('changed', 2)]);
      expect(await inRedis()).toEqual(await inDatabase());
      const older = [toStored({ name: 'changed', capacity: 9, treePath: null, blocks: [] })];
      expect(await copyDefinitions(redis, tenant, 'older', older)).toBe(false);
      expect(await inRedis()).toEqual(await inDatabase());
      await changes.delete(credential, 'changed', false);
    });
  });

  describe('what is deleted', () => {
    test('is gone from both', async () => {
      await changes.delete(credential, 'tower', true);
      expect(await names()).toEqual(['house']);
      expect(await inDatabase()).toHaveLength(1);
    });

    test('and held is in neither gone', async () => {
      const [held] = await reserve(engine, credential, [{ resource: 'house', requester: 'r' }]);
      await expect(changes.delete(credential, 'house', false)).rejects.toThrow(/held/);
      expect(await inDatabase()).toHaveLength(1);
      await unreserve(engine, credential, [
        { resource: 'house', requester: 'r', releaseToken: held?.releaseToken ?? '' },
      ]);
    });

    test('is never held: callers between the decision and its end get a refusal that says so', async () => {
      for (let round = 0; round < 30; round++) {
        await changes.register(credential, [item('pool', 5)]);
        const racing = Array.from({ length: 10 }, (_, i) =>
          reserve(engine, credential, [{ resource: 'pool', requester: `r${i}` }]).then(([result]) => result),
        );
        const deleted = changes.delete(credential, 'pool', false).catch((error: unknown) => error);
        const outcome = await deleted;
        const results = await Promise.all(racing);
        const acquired = results.filter((result) => result?.acquiredSlots?.pool !== undefined);
        // Either somebody had one of its slots, and it is there, or nobody ever got one.
        expect(outcome instanceof Error).toBe(acquired.length > 0);
        for (const [i, result] of results.entries())
          if (result?.releaseToken)
            await unreserve(engine, credential, [
              { resource: 'pool', requester: `r${i}`, releaseToken: result.releaseToken },
            ]);
        if (outcome instanceof Error) await changes.delete(credential, 'pool', false);
      }
    });
  });

  describe('where Redis has what the database has not', () => {
    test('Redis is made to follow, and what is held stays held, under its own name', async () => {
      await changes.register(credential, [item('car', 4, ['garage']), item('garage', 4)]);
      const [one, other] = await reserve(engine, credential, [
        { resource: 'car', requester: 'r' },
        { resource: 'car', requester: 's' },
      ]);
      // As if the instance that deleted it had died before its call of Redis, and the two had come in later.
      await store.database.run((db) => db.delete(rows).where(eq(rows.tenantId, tenant)));
      await store.database.run((db) =>
        db.update(tenants).set({ definitionsVersion: 900, changedAt: new Date() }).where(eq(tenants.id, tenant)),
      );
      expect(await copy.refreshChanged(new Date(Date.now() - 60_000))).toBe(1);
      expect(await names()).toEqual([]);
      const again = await reserve(engine, credential, [{ resource: 'car_0', requester: 'x' }]);
      expect(again[0]?.status).toBe('ALREADY_HELD');
      const released = await unreserve(engine, credential, [
        { resource: 'car_0', requester: 'r', releaseToken: one?.releaseToken ?? '' },
        { resource: 'car_1', requester: 's', releaseToken: other?.releaseToken ?? '' },
      ]);
      expect(released.map((result) => result.released)).toEqual([
        ['car_0', 'garage_0'],
        ['car_1', 'garage_1'],
      ]);
      expect(await store.redis.exists(`{${tenant}}:loose:0`, `{${tenant}}:bits:0:car`, `{${tenant}}:pools:0`)).toBe(0);
      expect(await store.redis.hlen(`{${tenant}}:slots`)).toBe(0);
    });

    test('a whole tree turned upside down is followed, bite by bite', async () => {
      const chain = Array.from({ length: 16 }, (_, i) => `n${i}`);
      const leaves = Array.from({ length: 400 }, (_, i) => item(`leaf${i}`, 1, chain));
      await changes.register(credential, leaves);
      await store.database.transaction(async (tx) => {
        for (const [i, name] of chain.entries())
          await tx
            .update(rows)
            .set({ parent: chain[i + 1] ?? null })
            .where(eq(rows.name, name));
        await tx.update(rows).set({ parent: 'n0' }).where(eq(rows.name, 'leaf0'));
        await tx.update(tenants).set({ definitionsVersion: 2000, changedAt: new Date() }).where(eq(tenants.id, tenant));
      });
      await copy.refresh(tenant);
      expect(await inRedis()).toEqual(await inDatabase());
      await changes.delete(credential, 'n15', true);
      expect(await names()).toEqual([]);
    });
  });

  describe('many at once', () => {
    test('leave both alike, and every answer true', async () => {
      const others = Array.from({ length: 3 }, () => {
        const another = new WorkingCopy(store.database, { redis: store.redis, tiers: DEFAULT_TIERS });
        return changeInDatabase(store.database, { ...engine, loadTenant: (id) => another.refresh(id) }, another);
      });
      const outcomes = await Promise.all(
        others.flatMap((one, by) =>
          Array.from({ length: 5 }, async (_, i) => {
            await one.register(credential, [item(`a${by}-${i}`), item('shared', by + 2)]);
            if (i % 2 === 0) await one.delete(credential, `a${by}-${i}`, false);
            if (i === 3) await forget(store.redis, tenant);
          }).map((done) =>
            done.then(
              () => 'done',
              (error: unknown) => String(error),
            ),
          ),
        ),
      );
      expect(new Set(outcomes)).toEqual(new Set(['done']));
      expect(await inRedis()).toEqual(await inDatabase());
      expect((await names()).filter((name) => name !== 'shared')).toEqual(
        [0, 1, 2].flatMap((by) => [`a${by}-1`, `a${by}-3`]),
      );
    });
  });

  test(`a ${kind} keeps them over a restart on an empty Redis`, async () => {
    await changes.register(credential, [item('kept', 7)]);
    const stored = await storeTenant(store);
    await store.close();
    const empty = await startRedis(() => {});
    const holdfast = await startInstance({ keys: [stored], redisUrl: empty.url, env: databaseEnv(made.url) });
    await holdfast.register({ name: 'young', capacity: 2 });
    await holdfast.redis.flushall();
    expect((await holdfast.definitions()).body).toEqual([{ name: 'young', capacity: 2, blocks: [], treePath: null }]);
    expect((await holdfast.reserve({ resource: 'young', requester: 'r' })).body[0]?.acquiredSlots).toEqual({
      young: 'young_0',
    });
    await holdfast.stop();
    await empty.stop();
    store = await openStore(made.url);
  });
}
