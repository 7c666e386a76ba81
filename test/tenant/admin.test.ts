/**
 * Tenants as administrators see and change them (docs/specification.md#operations).
 */
import { describe, expect, test } from 'vitest';
import { ADMIN, asAdmin, holdfast, other, own, store, trail, useAdministration } from '../support/administration.ts';
import { signIn, storeTenant } from '../support/tenancy.ts';
import { watch } from '../support/watch.ts';

useAdministration();

describe('a tier', () => {
  test('holds from the next request on, on every instance', async () => {
    const key = await storeTenant(store, 'Free');
    const limit = async () =>
      (await other.request('GET', '/api/v1/Resource/available/r', undefined, { 'X-Api-Key': key.key })).headers.get(
        'ratelimit-policy',
      );
    expect(await limit()).toContain('q=1500;');
    expect((await asAdmin('PUT', `/${key.tenant}/tier`, { tier: 'Pro' })).body).toMatchObject({ tier: 'Pro' });
    expect(await limit()).toContain('q=25000;');
  });

  test('that does not exist: 400', async () => {
    expect((await asAdmin('PUT', `/${own.tenant}/tier`, { tier: 'Gold' })).body).toBe(
      'tier must be one of Free, Starter, Pro, Enterprise',
    );
  });
});

describe('a suspended tenant', () => {
  test('gets 403 everywhere from the moment it is answered, its streams end, and it comes back as it was', async () => {
    const key = await storeTenant(store, 'Pro');
    const its = await signIn(store.redis, key.tenant);
    const ask = (method: string, path: string, body?: unknown) =>
      other.request(method, path, body, { 'X-Api-Key': key.key });
    const item = [{ resource: 'r', requester: 'q' }];
    expect((await ask('POST', '/api/v1/Reservation/reserve', item)).status).toBe(200);
    const subscriber = await watch({ url: other.url, key: key.key });
    expect((await asAdmin('POST', `/${key.tenant}/suspend`)).body).toMatchObject({ suspendedAt: expect.any(String) });
    expect(await ask('POST', '/api/v1/Reservation/reserve', item)).toMatchObject({
      status: 403,
      body: { error: 'This tenant is suspended.' },
    });
    expect((await ask('GET', '/api/v1/Reservation/activeReservations')).status).toBe(403);
    expect((await ask('POST', '/api/v1/Reservation/reserve', 'no JSON')).status).toBe(403);
    expect((await its.request(other.url, 'GET', '/api/v1/Tenant')).status).toBe(403);
    expect((await its.request(other.url, 'POST', '/api/v1/Tenant/keys', {})).status).toBe(403);
    await expect.poll(() => subscriber.ended).toBe('in good order');
    const wrong = { 'X-Api-Key': `${key.key.slice(0, -1)}_` };
    expect((await other.request('GET', '/api/v1/events', undefined, wrong)).status).toBe(401);
    expect((await asAdmin('POST', `/${key.tenant}/resume`)).body).toMatchObject({ suspendedAt: null });
    const again = await ask('POST', '/api/v1/Reservation/reserve', item);
    expect(again.body).toMatchObject([{ status: 'ALREADY_HAD' }]);
    expect((await trail(key.tenant)).map(({ actor, action }) => [actor, action])).toEqual([
      ['admin:root@id.example', 'tenant.resume'],
      ['admin:root@id.example', 'tenant.suspend'],
      [`person:user of ${key.tenant}`, 'tenant.create'],
    ]);
  });
});

describe('administrators', () => {
  test('list and search tenants, page by page', async () => {
    const ids = ['zz-one', 'zz-three', 'zz-two'];
    for (const id of ids) await storeTenant(store, 'Free', id);
    type Page = { tenants: { id: string }[]; next: string | null };
    const { body } = await asAdmin<Page>('GET', '?search=ZZ-&limit=2');
    expect([body.tenants.map(({ id }) => id), body.next]).toEqual([['zz-one', 'zz-three'], 'zz-three']);
    const { body: rest } = await asAdmin<Page>('GET', `?search=zz-&limit=2&after=${body.next}`);
    expect([rest.tenants.map(({ id }) => id), rest.next]).toEqual([['zz-two'], null]);
    expect((await asAdmin<Page>('GET', '?search=%25')).body.tenants).toEqual([]);
    expect((await asAdmin('GET', '?limit=0')).status).toBe(400);
    for (const query of ['after=%00', 'after=No%20tenant', 'search=%00', 'search=a%00b', 'search='])
      expect([query, (await asAdmin('GET', `?${query}`)).status]).toEqual([query, 400]);
    expect((await asAdmin('GET', '/zz-two')).body).toMatchObject({ id: 'zz-two', tier: 'Free', suspendedAt: null });
  });

  test('end all reservations of a tenant', async () => {
    const key = await storeTenant(store);
    const ask = (path: string, body?: unknown) =>
      holdfast.request(body === undefined ? 'GET' : 'POST', path, body, { 'X-Api-Key': key.key });
    const { body: held } = await ask('/api/v1/Reservation/reserve', [
      { resource: 'a', requester: 'r' },
      { resource: 'b', requester: 'r' },
    ]);
    expect((await asAdmin('POST', `/${key.tenant}/reset`)).body).toEqual({ cleared: 2 });
    expect((await ask('/api/v1/Reservation/activeReservations')).body).toEqual([]);
    const by = expect.stringMatching(/^NOT_RESERVED: everything was released by admin:root@id\.example at /);
    const lost = (await ask('/api/v1/Reservation/unreserve', held)).body;
    expect(lost).toMatchObject([{ explanation: by }, { explanation: by }]);
    const entry = { actor: 'admin:root@id.example', action: 'tenant.reset', details: { count: 2 } };
    await expect.poll(async () => (await trail(key.tenant))[0]).toMatchObject(entry);
  });

  test('find no such tenant: 404', async () => {
    for (const [method, path, body] of [
      ['GET', '/nobody', undefined],
      ['GET', '/nobody/audit', undefined],
      ['PUT', '/nobody/tier', { tier: 'Pro' }],
      ['POST', '/nobody/suspend', undefined],
      ['POST', '/nobody/resume', undefined],
      ['POST', '/nobody/reset', undefined],
    ] as const)
      expect((await asAdmin(method, path, body)).status, `${method} ${path}`).toBe(404);
  });

  test.each([
    ['a subject on the list', { subject: 'the-subject', email: null }, 200],
    ['one in the group', { groups: ['staff', 'operators'] }, 200],
    ['an ordinary user', {}, 403],
    ['a subject that is like an address on the list', { subject: 'ROOT@id.example' }, 403],
    ['a subject that is an address on the list', { subject: 'root@id.example', email: null }, 403],
    ['an address that is a subject on the list', { email: 'the-subject' }, 403],
    ['an administrator who signed in more than 15 minutes ago', { email: 'root@id.example', describedUntilMs: 1 }, 403],
    ['a member of other groups', { groups: ['operator'] }, 403],
  ])('%s: %j gets %i', async (_, who, status) => {
    const session = await signIn(store.redis, own.tenant, who);
    expect((await session.request(holdfast.url, 'GET', ADMIN)).status).toBe(status);
  });

  test('an API key is none: 403; nobody: 401', async () => {
    expect((await holdfast.request('GET', ADMIN)).status).toBe(403);
    expect((await holdfast.request('POST', `${ADMIN}/${own.tenant}/suspend`)).status).toBe(403);
    expect((await holdfast.request('GET', ADMIN, undefined, { 'X-Api-Key': '' })).status).toBe(401);
    expect((await fetch(holdfast.url + ADMIN)).status).toBe(401);
  });
});

describe('the audit trail', () => {
  test('has every change of keys, settings, issuers and definitions, and who made it', async () => {
    const key = await storeTenant(store);
    const its = await signIn(store.redis, key.tenant, { email: null, subject: 'sub-1' });
    const ask = (method: string, path: string, body?: unknown) =>
      its.request<{ id: string }>(holdfast.url, method, path, body);
    const { body } = await ask('POST', '/api/v1/Tenant/keys', { label: 'worker' });
    await ask('POST', `/api/v1/Tenant/keys/${body.id}/rotate`);
    await ask('DELETE', `/api/v1/Tenant/keys/${body.id}`);
    await ask('PUT', '/api/v1/Tenant/settings', { requireRegistration: true });
    await ask('PUT', '/api/v1/Tenant/issuers', {
      id: 'i',
      issuer: 'https://i.example',
      conditions: {},
      audience: 'a',
      jwksUrl: 'https://i.example',
    });
    await ask('DELETE', '/api/v1/Tenant/issuers?id=i');
    await ask('POST', '/api/v1/Resource/register', [{ name: 'x', treePath: 'y' }]);
    const byKey = { 'X-Api-Key': key.key };
    await holdfast.request('DELETE', '/api/v1/Resource/y?cascade=true', undefined, byKey);
    const entries = await trail(key.tenant);
    expect(entries.map(({ actor, action }) => [actor, action])).toEqual([
      ['key', 'definitions.delete'],
      ['person:sub-1', 'definitions.register'],
      ['person:sub-1', 'issuer.delete'],
      ['person:sub-1', 'issuer.put'],
      ['person:sub-1', 'settings.change'],
      ['person:sub-1', 'key.delete'],
      ['person:sub-1', 'key.rotate'],
      ['person:sub-1', 'key.create'],
      [`person:user of ${key.tenant}`, 'tenant.create'],
    ]);
    expect(entries[0]?.details).toEqual({ names: ['y', 'x'], count: 2 });
    const older = await asAdmin<{ id: number }[]>('GET', `/${key.tenant}/audit?limit=2&before=${entries[1]?.id}`);
    expect(older.body.map(({ id }) => id)).toEqual(entries.slice(2, 4).map(({ id }) => id));
  });
});
