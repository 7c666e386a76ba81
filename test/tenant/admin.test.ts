/**
 * Tenants as they see themselves, and as administrators see and change them (docs/specification.md#operations).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import type { ConfiguredKey } from '../../src/identity/configuredTenants.ts';
import { type Instance, startInstance } from '../support/service.ts';
import {
  databaseEnv,
  KINDS,
  type OpenStore,
  openStore,
  type Session,
  signIn,
  storeTenant,
  type TestDatabase,
} from '../support/tenancy.ts';
import { watch } from '../support/watch.ts';

const ADMIN = '/api/v1/admin/tenants';
let made: TestDatabase;
let store: OpenStore;
let own: ConfiguredKey;
let holdfast: Instance;
let other: Instance;
let user: Session;
let admin: Session;
beforeAll(async () => {
  made = await KINDS.Postgres();
  store = await openStore(made.url);
  own = await storeTenant(store, 'Starter');
  const env = { ...databaseEnv(made.url), ADMINS: 'root@id.example, the-subject', ADMIN_GROUP: 'operators' };
  const start = () => startInstance({ keys: [own], env });
  [holdfast, other] = await Promise.all([start(), start()]);
  user = await signIn(store.redis, own.tenant);
  admin = await signIn(store.redis, own.tenant, { email: 'root@id.example' });
});
afterAll(async () => {
  await Promise.all([holdfast.stop(), other.stop()]);
  await store.close();
  await made.drop();
});

const asAdmin = <Body>(method: string, path: string, body?: unknown) =>
  admin.request<Body>(holdfast.url, method, ADMIN + path, body);
const trail = async (id: string) =>
  (await asAdmin<{ id: number; actor: string; action: string; details: object }[]>('GET', `/${id}/audit`)).body;

describe('GET /api/v1/Tenant', () => {
  test('tells tier, limits and what is used of them, with a key and with a session', async () => {
    await holdfast.reserve({ resource: 'a', requester: 'r' }, { resource: 'b', requester: 'r' });
    const subscriber = await watch(holdfast);
    const expected = {
      id: own.tenant,
      name: `Tenant ${own.tenant}`,
      tier: 'Starter',
      limits: DEFAULT_TIERS.Starter,
      usage: { writesThisMinute: 2, writesToday: 2, reservations: 2, eventConnections: 1, apiKeys: 1, definitions: 0 },
    };
    expect(await holdfast.request('GET', '/api/v1/Tenant')).toMatchObject({ status: 200, body: expected });
    expect(await user.request(holdfast.url, 'GET', '/api/v1/Tenant')).toMatchObject({ status: 200, body: expected });
    subscriber.close();
  });
});

describe('settings', () => {
  const SETTINGS = '/api/v1/Tenant/settings';
  const status = async () => (await other.reserve({ resource: 'nowhere', requester: 's' })).body[0]?.status;

  test('required registration holds on every instance from the moment it is answered', async () => {
    expect((await user.request(holdfast.url, 'GET', SETTINGS)).body).toEqual({ requireRegistration: false });
    await user.request(holdfast.url, 'PUT', SETTINGS, { requireRegistration: true });
    expect(await status()).toBe('NOT_VALID');
    await user.request(holdfast.url, 'PUT', SETTINGS, { requireRegistration: false });
    expect(await status()).toBe('ACQUIRED');
  });

  test('of a wrong form: 400', async () => {
    expect((await user.request(holdfast.url, 'PUT', SETTINGS, { requireRegistration: 'yes' })).body).toBe(
      'requireRegistration must be true or false',
    );
  });
});

describe('issuers', () => {
  const ISSUERS = '/api/v1/Tenant/issuers';
  const issuer = { issuer: 'https://idp.example', audience: 'app', jwksUrl: 'https://idp.example/jwks' };
  const at = (audience: string) => `${ISSUERS}?issuer=${encodeURIComponent(issuer.issuer)}&audience=${audience}`;

  test('are registered, listed, given another address, and forgotten', async () => {
    expect(await user.request(holdfast.url, 'PUT', ISSUERS, issuer)).toMatchObject({ status: 200, body: issuer });
    const moved = { ...issuer, jwksUrl: 'https://idp.example/keys' };
    await user.request(holdfast.url, 'PUT', ISSUERS, moved);
    expect((await user.request(holdfast.url, 'GET', ISSUERS)).body).toEqual([moved]);
    expect((await user.request(holdfast.url, 'DELETE', at('app'))).status).toBe(200);
    expect((await user.request(holdfast.url, 'DELETE', at('app'))).status).toBe(404);
    expect((await user.request(holdfast.url, 'GET', ISSUERS)).body).toEqual([]);
  });

  test('of one tenant are nothing to another, which may register the same', async () => {
    const stranger = await signIn(store.redis, (await storeTenant(store)).tenant);
    for (const who of [user, stranger])
      expect((await who.request(holdfast.url, 'PUT', ISSUERS, issuer)).status).toBe(200);
    expect((await stranger.request(holdfast.url, 'DELETE', at('app'))).status).toBe(200);
    expect((await user.request(holdfast.url, 'GET', ISSUERS)).body).toEqual([issuer]);
  });

  test('with the audience holdfast:<tenant id> are registered by that tenant alone', async () => {
    const put = async (audience: string) =>
      (await user.request(holdfast.url, 'PUT', ISSUERS, { ...issuer, audience })).status;
    expect(await put(`holdfast:${own.tenant}`)).toBe(200);
    for (const audience of ['holdfast:another', 'holdfast:', `holdfast:${own.tenant}x`])
      expect([audience, await put(audience)]).toEqual([audience, 400]);
  });

  test('need tier Starter or above', async () => {
    const free = await signIn(store.redis, (await storeTenant(store, 'Free')).tenant);
    expect(await free.request(holdfast.url, 'PUT', ISSUERS, issuer)).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('Starter'), upgradeRequired: true },
    });
  });

  test('with names that are too long for the database’s index, in bytes: 400', async () => {
    for (const field of ['issuer', 'audience'] as const)
      for (const text of ['x'.repeat(513), '𝔸'.repeat(129)])
        expect((await user.request(holdfast.url, 'PUT', ISSUERS, { ...issuer, [field]: text })).status).toBe(400);
    const longest = { ...issuer, issuer: '𝔸'.repeat(128), audience: '𝔹'.repeat(128) };
    expect((await user.request(holdfast.url, 'PUT', ISSUERS, longest)).status).toBe(200);
  });
});

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
    await expect.poll(() => subscriber.ended, { timeout: 2000 }).toBe('in good order');
    const wrong = { 'X-Api-Key': `${key.key.slice(0, -1)}_` };
    expect((await other.request('GET', '/api/v1/events', undefined, wrong)).status).toBe(401);
    expect((await asAdmin('POST', `/${key.tenant}/resume`)).body).toMatchObject({ suspendedAt: null });
    const again = await ask('POST', '/api/v1/Reservation/reserve', item);
    expect(again.body).toMatchObject([{ status: 'ALREADY_HAD' }]);
    expect((await trail(key.tenant)).map(({ actor, action }) => [actor, action])).toEqual([
      ['admin:root@id.example', 'tenant.resume'],
      ['admin:root@id.example', 'tenant.suspend'],
      [`user:user of ${key.tenant}`, 'tenant.create'],
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
    await ask('/api/v1/Reservation/reserve', [
      { resource: 'a', requester: 'r' },
      { resource: 'b', requester: 'r' },
    ]);
    expect((await asAdmin('POST', `/${key.tenant}/reset`)).body).toEqual({ cleared: 2 });
    expect((await ask('/api/v1/Reservation/activeReservations')).body).toEqual([]);
    expect((await trail(key.tenant))[0]).toMatchObject({ actor: 'admin:root@id.example', action: 'tenant.reset' });
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
      issuer: 'https://i.example',
      audience: 'a',
      jwksUrl: 'https://i.example',
    });
    await ask('DELETE', '/api/v1/Tenant/issuers?issuer=https%3A%2F%2Fi.example&audience=a');
    await ask('POST', '/api/v1/Resource/register', [{ name: 'x', treePath: 'y' }]);
    const byKey = { 'X-Api-Key': key.key };
    await holdfast.request('DELETE', '/api/v1/Resource/y?cascade=true', undefined, byKey);
    const entries = await trail(key.tenant);
    expect(entries.map(({ actor, action }) => [actor, action])).toEqual([
      ['key', 'definitions.delete'],
      ['user:sub-1', 'definitions.register'],
      ['user:sub-1', 'issuer.delete'],
      ['user:sub-1', 'issuer.put'],
      ['user:sub-1', 'settings.change'],
      ['user:sub-1', 'key.delete'],
      ['user:sub-1', 'key.rotate'],
      ['user:sub-1', 'key.create'],
      [`user:user of ${key.tenant}`, 'tenant.create'],
    ]);
    expect(entries[0]?.details).toEqual({ names: ['y', 'x'], count: 2 });
    const older = await asAdmin<{ id: number }[]>('GET', `/${key.tenant}/audit?limit=2&before=${entries[1]?.id}`);
    expect(older.body.map(({ id }) => id)).toEqual(entries.slice(2, 4).map(({ id }) => id));
  });
});

describe('a session', () => {
  test('releases any reservation of its tenant without a token', async () => {
    await holdfast.reserve({ resource: 'stuck', requester: 'gone' });
    const item = [{ resource: 'stuck', requester: 'gone' }];
    expect((await holdfast.request('POST', '/api/v1/Reservation/unreserve', item)).status).toBe(403);
    const { status, body } = await user.request(holdfast.url, 'POST', '/api/v1/Reservation/unreserve', item);
    expect([status, body]).toMatchObject([200, [{ status: 'RELINQUISHED', released: ['stuck'] }]]);
  });

  test('watches events without counting as a connection', async () => {
    const key = await storeTenant(store, 'Free');
    const its = await signIn(store.redis, key.tenant);
    const counted = await watch({ url: holdfast.url, key: key.key });
    const controller = new AbortController();
    const headers = { Cookie: its.cookie };
    const watching = await fetch(`${other.url}/api/v1/events`, { headers, signal: controller.signal });
    expect(watching.status).toBe(200);
    expect((await watch({ url: holdfast.url, key: key.key })).head).toMatch(/429/);
    await holdfast.request('POST', '/api/v1/Reservation/reset', undefined, { 'X-Api-Key': key.key });
    const reader = watching.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('event: RESET')) text += (await reader?.read())?.value ?? '';
    controller.abort();
    counted.close();
  });
});
