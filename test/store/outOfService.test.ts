/**
 * What is out of service is copied to the database, and comes back where Redis has lost its data
 * (docs/specification.md#condition).
 */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ConditionItem } from '../../src/contract/conditions.ts';
import type { changeInDatabase } from '../../src/definitions/changeInDatabase.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { takeCopyLease } from '../../src/engine/definitions/copy.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { outOfService, restoreOut, setCondition } from '../../src/engine/reservations/conditions.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { copyOutOfService } from '../../src/operations/copies.ts';
import { putOutOfService } from '../../src/store/outOfService.ts';
import { outOfService as rows } from '../../src/store/schema.ts';
import type { RegistrationItem } from '../support/client.ts';
import { forget } from '../support/hotRecord.ts';
import { engineOn, makeStore, type OwnStore, storeTenant } from '../support/tenancy.ts';
import { reserve } from '../support/verbs.ts';

describe('what is out of service', () => {
  let store: OwnStore;
  let engine: Engine;
  let credential: Credential;
  let tenant: string;
  let changes: ReturnType<typeof changeInDatabase>;
  beforeAll(async () => {
    store = await makeStore();
    ({ engine, changes } = engineOn(store));
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    const stored = await storeTenant(store);
    tenant = stored.tenant;
    credential = { tenant, credentialKey: digestOf(stored.key), kind: 'key' };
    await register({ name: 'phone' }, { name: 'pool', capacity: 600 }, { name: 'box', capacity: 2, afterUse: 'dirty' });
  });

  const register = (...items: RegistrationItem[]) =>
    changes.register(
      credential,
      items.map(({ name, capacity = 1, afterUse }) => ({
        name,
        capacity,
        blocks: [],
        treePath: null,
        afterUse: afterUse ?? undefined,
      })),
    );
  const set = (...items: ConditionItem[]) => setCondition(engine, credential, items);
  const copy = () => copyOutOfService(store, Date.now() - 60_000);
  /** A release shows that the tenant is active. */
  const activate = () => store.redis.zadd('{active}', Date.now(), tenant);
  const copied = async () =>
    (await store.database.run((db) => db.select().from(rows).where(eq(rows.tenantId, tenant))))
      .map(({ slot, reason }) => [slot, reason])
      .sort();
  const inRedis = async () =>
    (await outOfService(store.redis, tenant))?.slots.toSorted((a, b) => (a.slot < b.slot ? -1 : 1));
  const statusOf = async (resource: string, condition?: 'dirty') =>
    (await reserve(engine, credential, [{ resource, requester: 'r', condition }]))[0]?.status;

  describe('the copy', () => {
    test('has what is out of service, and not what is dirty', async () => {
      await activate();
      await set({ resource: 'phone', condition: 'out', reason: 'dark' }, { resource: 'pool_7', condition: 'out' });
      await set({ resource: 'pool_8', condition: 'dirty' });
      await copy();
      expect(await copied()).toEqual([
        ['phone', 'dark'],
        ['pool_7', null],
      ]);
    });

    test('follows: slots that are back in service leave it, others get the new reason', async () => {
      await activate();
      await set({ resource: 'phone', condition: 'out', reason: 'dark' }, { resource: 'pool_7', condition: 'out' });
      await copy();
      await set({ resource: 'phone', condition: 'ready' }, { resource: 'pool_7', condition: 'ready' });
      await set({ resource: 'pool_7', condition: 'out', reason: 'again' });
      await copy();
      expect(await copied()).toEqual([['pool_7', 'again']]);
      await set({ resource: 'pool_7', condition: 'ready' });
      await copy();
      expect(await copied()).toEqual([]);
    });

    test('is not replaced by an older one', async () => {
      const one = { slot: 'phone', sinceMs: 1000, actor: null, reason: null };
      await putOutOfService(store, tenant, 2000, [one]);
      await putOutOfService(store, tenant, 1999, []);
      expect(await copied()).toEqual([['phone', null]]);
    });

    test('stays if Redis has lost the tenant', async () => {
      await activate();
      await set({ resource: 'phone', condition: 'out' });
      await copy();
      await forget(store.redis, tenant);
      await activate();
      expect(await outOfService(store.redis, tenant)).toBeNull();
      await copy();
      expect(await copied()).toEqual([['phone', null]]);
    });

    test('is made again only after a change', async () => {
      await activate();
      await set({ resource: 'phone', condition: 'out' });
      expect(await copy()).toBe(1);
      expect(await copy()).toBe(0);
    });
  });

  describe('after Redis has lost its data', () => {
    test('what was out of service is so again, since when and why included', async () => {
      await activate();
      const slots = Array.from({ length: 500 }, (_, i) => ({ resource: `pool_${i}`, condition: 'out' as const }));
      await set(...slots);
      await set(
        { resource: 'phone', condition: 'out', reason: 'display "dark" é' },
        { resource: 'pool_599', condition: 'out' },
      );
      await copy();
      const before = await inRedis();
      expect(before).toHaveLength(502);
      await forget(store.redis, tenant);
      expect(await statusOf('phone')).toBe('NOT_AVAILABLE');
      expect(await statusOf('pool_3')).toBe('NOT_AVAILABLE');
      expect(await statusOf('pool_500')).toBe('ACQUIRED');
      expect(await inRedis()).toEqual(before);
    });

    test('slots that are dirty after use are dirty', async () => {
      await set({ resource: 'box', condition: 'ready' });
      await forget(store.redis, tenant);
      expect(await statusOf('box')).toBe('NOT_AVAILABLE');
      expect(await statusOf('box', 'dirty')).toBe('ACQUIRED');
    });

    test('nothing is out of service that was brought back before', async () => {
      await activate();
      await set({ resource: 'phone', condition: 'out' });
      await copy();
      await set({ resource: 'phone', condition: 'ready' });
      await copy();
      await forget(store.redis, tenant);
      expect(await statusOf('phone')).toBe('ACQUIRED');
    });

    test('an instance that has lost the lease of its copy restores nothing', async () => {
      await takeCopyLease(store.redis, tenant, 'other');
      const slot = { slot: 'phone', sinceMs: 1000, actor: null, reason: null };
      expect(await restoreOut(store.redis, tenant, 'mine', [slot])).toBe(false);
      expect(await statusOf('phone')).toBe('ACQUIRED');
    });
  });
});
