/**
 * Signing in without a database, as MEMBERS allows it (docs/specification.md#without-a-database).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import type { ConfiguredMember } from '../../src/identity/configured.ts';
import { ask, bare } from '../support/ask.ts';
import { claimsOf } from '../support/dashboard.ts';
import { CLIENT, startProvider, type TestProvider } from '../support/provider.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { finish, type Place, sessionOf, signInUpTo, tenantOf } from '../support/signingIn.ts';
import { KEY_SECRET } from '../support/tenancy.ts';

const [first, second] = [makeTenant(), makeTenant()];
const keys = [makeConfiguredKey(first, 'worker'), makeConfiguredKey(second)];
const MEMBERS: readonly ConfiguredMember[] = [
  { email: 'ann@id.example', tenant: first, role: 'viewer' },
  { group: 'lab', tenant: first, role: 'operator' },
  { email: 'unverified@id.example', tenant: first, role: 'owner' },
  { email: 'BOB@id.example', tenant: second, role: 'member' },
];

let provider: TestProvider;
let instance: Instance;
let at: Place;
let port: number;

/** Starts an instance at another port, or at the provider's one. */
const start = (members: readonly ConfiguredMember[], here = 0) =>
  startInstance({
    keys,
    port: here,
    env: {
      API_KEYS: JSON.stringify(keys),
      MEMBERS: JSON.stringify(members),
      KEY_SECRET,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ADMINS: 'root@id.example',
    },
  });

beforeAll(async () => {
  port = await freePort();
  const groups = (account: string) => (account.startsWith('lab-') ? ['lab'] : []);
  const claims = (account: string) => ({ ...claimsOf(account), groups: groups(account) });
  provider = await startProvider({ dashboard: `http://127.0.0.1:${port}`, claimsOf: claims });
  instance = await start(MEMBERS, port);
  at = { url: instance.url, issuer: provider.issuer };
});
afterAll(async () => {
  await Promise.all([instance.stop(), provider.stop()]);
});

const see = (path: string, cookie: string, url = instance.url) => ask(`${url}${path}`, { headers: { Cookie: cookie } });
const call = (method: string, path: string, cookie: string, body: unknown, url = instance.url) =>
  ask(`${url}/api/v1${path}`, {
    method,
    headers: { Cookie: cookie, Origin: url, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
const register = (cookie: string, url?: string) => call('POST', '/Resource/register', cookie, [{ name: 'desk' }], url);
const reserve = (cookie: string, who: string, url?: string) =>
  call('POST', '/Reservation/reserve', cookie, [{ resource: 'x', requester: `${who}@id.example` }], url);

describe('a person whose verified address MEMBERS lists', () => {
  test('signs in to that tenant, whatever the case of the address, with that role', async () => {
    const bob = await sessionOf('Bob', at);
    expect(tenantOf(bob)).toBe(second);
    expect((await see('/dashboard/overview', bob)).text).toContain(`Tenant ${second}`);
    expect([(await register(bob)).status, (await reserve(bob, 'Bob')).status]).toEqual([403, 200]);
  });

  test('has no role by an address that the provider has not verified', async () => {
    const { back, cookie } = await signInUpTo('unverified', undefined, at);
    expect(await finish(back, cookie)).toMatchObject({ status: 403, text: expect.stringContaining('no verified') });
  });
});

describe('a person in a group that MEMBERS lists', () => {
  test('has the role of the group', async () => {
    const cookie = await sessionOf('lab-carl', at);
    expect([tenantOf(cookie), (await register(cookie)).status]).toEqual([first, 200]);
  });

  test('has the higher one of two roles', async () => {
    const members = [...MEMBERS, { email: 'lab-ann@id.example', tenant: first, role: 'viewer' } as const];
    const other = await start(members);
    const cookie = await sessionOf('lab-ann', at);
    expect((await register(cookie, other.url)).status).toBe(200);
    await other.stop();
  });
});

describe('a person in no tenant', () => {
  test('gets a page that says so and signs out; the session that the browser had before ends there', async () => {
    const before = await sessionOf('ann', at);
    const { back, cookie } = await signInUpTo('stranger', undefined, at);
    const { status, text, cookies } = await finish(back, `${cookie}; ${before}`);
    expect([status, cookies.filter((one) => one.startsWith('holdfast_session='))]).toEqual([403, []]);
    expect(text).toContain('stranger@id.example belongs to no tenant here');
    expect(text).toContain('action="/dashboard/sign-out"');
    const init = { method: 'POST', headers: { Cookie: before, Origin: instance.url } };
    expect((await ask(`${instance.url}/dashboard/sign-out`, init)).to).toBe('/dashboard/sign-in?out');
    expect((await see('/dashboard', before)).status).toBe(303);
  });
});

describe('when MEMBERS changes, at the next request that an instance with the new list gets', () => {
  const without = (email: string) => MEMBERS.filter((one) => !('email' in one) || one.email !== email);

  test('sessions of those whom it no longer lists end: for pages, for the API and for events', async () => {
    const changed = await start(without('ann@id.example'));
    for (const path of ['/dashboard', '/api/v1/Reservation/activeReservations', '/api/v1/events']) {
      const ann = await sessionOf('ann', at);
      expect((await see('/dashboard', ann)).status).toBe(200);
      expect((await see(path, ann, changed.url)).status).toBe(path === '/dashboard' ? 303 : 401);
      expect((await see('/dashboard', ann)).status).toBe(303);
    }
    await changed.stop();
  });

  test('sessions of those who have another role now end', async () => {
    const ann = await sessionOf('ann', at);
    const bob = await sessionOf('bob', at);
    const changed = await start([
      ...without('ann@id.example'),
      { email: 'ann@id.example', tenant: first, role: 'member' },
    ]);
    expect((await reserve(ann, 'ann', changed.url)).status).toBe(401);
    expect((await reserve(bob, 'bob', changed.url)).status).toBe(200);
    await changed.stop();
  });
});

describe('without a database', () => {
  test('API keys do not open the dashboard, and sessions manage no tenant', async () => {
    const { key } = keys[0] ?? { key: '' };
    const headers = { 'X-Api-Key': key, Authorization: `Bearer ${key}`, Cookie: `holdfast_session=${key}` };
    expect((await ask(`${instance.url}/dashboard`, { headers })).status).toBe(303);
    expect((await see('/api/v1/Tenant/keys', await sessionOf('ann', at))).status).toBe(503);
  });

  test('the page of all tenants is for administrators', async () => {
    const ann = await sessionOf('ann', at);
    expect((await see('/dashboard', ann)).text).not.toContain('/dashboard/tenants');
    const { status, text } = await see('/dashboard/tenants', ann);
    expect([status, text]).toEqual([403, expect.not.stringContaining(second)]);
  });

  test('a session of the local sign-in is worth nothing once people sign in at a provider', async () => {
    const local = await startInstance({ keys, env: { LOCAL_SIGN_IN: 'true', API_KEYS: JSON.stringify(keys) } });
    const { cookies } = await ask(`${local.url}/dashboard/sign-in`, {
      method: 'POST',
      headers: { Origin: local.url },
      body: new URLSearchParams({ token: local.signInToken(), tenant: second }),
    });
    const session = bare(cookies[0]);
    expect((await register(session, local.url)).status).toBe(200);
    expect((await register(session)).status).toBe(401);
    await local.stop();
  });
});
