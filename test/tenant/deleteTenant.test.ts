/**
 * Deleting a tenant (docs/specification.md#deleting-a-tenant), at two instances on one database.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { WorkingCopy } from '../../src/definitions/workingCopy.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { auditPage } from '../../src/store/audit.ts';
import { readRecord } from '../../src/store/records.ts';
import { deleteTenant } from '../../src/store/tenants.ts';
import { createClient } from '../support/client.ts';
import { type Session, signIn, storeTenant } from '../support/tenancy.ts';
import { one, other, store, useTwoInstances } from '../support/twoInstances.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

useTwoInstances();
beforeAll(() => {
  defineScripts(store.redis, loadScripts(DEFAULT_TIERS));
});

const erase = (by: Session, confirm: string, at = one) =>
  by.request(at.url, 'DELETE', `/api/v1/Tenant?${new URLSearchParams({ confirm })}`);
const keysOf = (tenant: string) => store.redis.keys(`{${tenant}}:*`);

describe('a deleted tenant', () => {
  test('is gone on every instance when the call is answered: keys, sessions, streams and all that Redis had', async () => {
    const { tenant, key } = await storeTenant(store);
    const owner = await signIn(store.redis, tenant);
    const [here, there] = [createClient(one.url, key), createClient(other.url, key)];
    await here.register({ name: 'printers', capacity: 3 });
    await here.reserve(
      { resource: 'printers', requester: 'alice', ttlSeconds: 60 },
      { resource: 'desk', requester: 'alice' },
    );
    const waiting = there.request('POST', '/api/v1/Reservation/reserve?pollSeconds=20', [
      { resource: 'desk', requester: 'bob', ttlSeconds: 60, waitSeconds: 60 },
    ]);
    await until('a ticket', async () => (await store.redis.hlen(`{${tenant}}:tickets`)) === 1);
    const stream = await watch({ url: other.url, key });
    expect(await erase(owner, tenant)).toMatchObject({ status: 200, body: { deleted: tenant } });
    expect((await here.request('GET', '/api/v1/Tenant')).status).toBe(401);
    expect((await there.reserve({ resource: 'desk', requester: 'alice' })).status).toBe(401);
    expect((await erase(owner, tenant)).status).toBe(401);
    await until('the end of the stream', () => stream.ended !== 'no');
    expect(stream.events.at(-1)?.type).toBe('RESET');
    expect([200, 401]).toContain((await waiting).status);
    const [entry] = await auditPage(store.database, { tenant: tenant }, undefined, 1);
    expect(entry).toMatchObject({ action: 'tenant.delete', actor: 'person:somebody@id.example' });
    await until('no key of it', async () => (await keysOf(tenant)).every((name) => /:(activity|answers?)/.test(name)));
  });

  test('is the one that the call names, and the caller must be an owner', async () => {
    const { tenant, key } = await storeTenant(store);
    const [owner, operator] = [
      await signIn(store.redis, tenant),
      await signIn(store.redis, tenant, { role: 'operator' }),
    ];
    expect([(await erase(owner, 'another')).status, (await erase(operator, tenant)).status]).toEqual([400, 403]);
    expect((await createClient(one.url, key).request('GET', '/api/v1/Tenant')).status).toBe(200);
  });

  test('does not come back by an instance that had read it before', async () => {
    const { tenant, key } = await storeTenant(store);
    const client = createClient(one.url, key);
    await client.reserve({ resource: 'desk', requester: 'alice' });
    const owner = await signIn(store.redis, tenant);
    const read = await store.database.run((db) => readRecord(db, tenant));
    const lease = `{${tenant}}:copying`;
    await store.redis.set(lease, 'a copy that has begun', 'PX', 60_000);
    await erase(owner, tenant);
    if (read === null) throw new Error('no record');
    // The other instance writes what it has read: a changed record, and a copy.
    await loadTenant(store.redis, read.record);
    const copied = { definitionsVersion: read.definitionsVersion, lease: 'a copy that has begun' };
    expect(await loadTenant(store.redis, read.record, copied)).toBe(false);
    expect((await client.request('GET', '/api/v1/Tenant')).status).toBe(401);
  });

  test('goes from Redis later, if the instance died after the database', async () => {
    const { tenant, key } = await storeTenant(store);
    const client = createClient(one.url, key);
    await client.reserve({ resource: 'desk', requester: 'alice' });
    await deleteTenant(store, tenant, { actor: 'person:somebody@id.example', address: null });
    const copy = new WorkingCopy(store.database, { redis: store.redis, tiers: DEFAULT_TIERS });
    expect(await copy.purgeDeleted(new Date(Date.now() - 60_000))).toBe(1);
    expect((await client.reserve({ resource: 'desk', requester: 'bob' })).status).toBe(401);
    expect(await copy.purgeDeleted(new Date(Date.now() - 60_000))).toBe(0);
  });
});
