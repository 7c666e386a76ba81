/**
 * The local sign-in: who may use it, and what it leads to (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { ask, bare } from '../support/ask.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { databaseEnv, KINDS } from '../support/tenancy.ts';

const local = { LOCAL_SIGN_IN: 'true' };

/** Presses the button of the sign-in page. */
const press = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  ask(`${url}/dashboard/sign-in`, {
    method: 'POST',
    headers: { Origin: url, ...headers },
    body: new URLSearchParams(fields),
  });

/** Opens the sign-in page with a token in its address. */
const open = async (url: string, token: string) => (await ask(`${url}/dashboard/sign-in?token=${token}`)).text;

describe('without a database', () => {
  test('the link signs in to a configured tenant, and shows its data', async () => {
    const [tenant, another] = [makeTenant(), makeTenant()];
    const keys = [makeConfiguredKey(tenant, 'worker'), makeConfiguredKey(another)];
    const instance = await startInstance({ keys, env: local });
    const token = instance.signInToken();
    const page = await open(instance.url, token);
    for (const one of [tenant, another]) expect(page).toContain(`Sign in to tenant ${one}`);
    const { status, cookies } = await press(instance.url, { token, tenant });
    expect(status).toBe(303);
    const see = async (path: string) =>
      (await ask(`${instance.url}/dashboard${path}`, { headers: { Cookie: bare(cookies[0]) } })).text;
    expect(await see('/overview')).not.toContain(keys[0]?.key);
    expect(await see('/overview?show')).toContain(keys[0]?.key);
    expect(await see('/access/keys')).toContain('worker');
    for (const path of ['/overview', '/access/keys', '/settings', '/tenants'])
      expect(await see(path)).toContain('DATABASE_URL');
    await instance.reserve({ resource: 'seen', requester: 'me' });
    expect(await see('')).toContain('seen');
    await instance.stop();
  });

  test('the link signs in once, also if it is used twice at the same time, and the next one takes its place', async () => {
    const instance = await startInstance({ env: local });
    const { url, tenant } = instance;
    const token = instance.signInToken();
    const pressed = await Promise.all([press(url, { token, tenant }), press(url, { token, tenant })]);
    expect(pressed.map(({ status }) => status).sort()).toEqual([303, 403]);
    expect(pressed.map(({ cookies }) => cookies.length > 0)).toContain(false);
    expect(await open(url, token)).toContain('This link has been used');
    expect((await press(url, { token: instance.signInToken(), tenant })).status).toBe(303);
    await instance.stop();
  });

  test('opening the link does not use it up, and neither does a fault', async () => {
    const instance = await startInstance({ env: local });
    const { url, tenant } = instance;
    const token = instance.signInToken();
    for (let i = 0; i < 2; i++) expect(await open(url, token)).toContain(`Sign in to tenant ${tenant}`);
    expect((await press(url, { token, tenant: 'nobody' })).status).toBe(404);
    expect((await press(url, { token, tenant })).status).toBe(303);
    await instance.stop();
  });

  test('nobody signs in without the token of this start: also nobody on this machine', async () => {
    const [instance, another] = [await startInstance({ env: local }), await startInstance({ env: local })];
    const { url, tenant } = instance;
    expect(await open(url, '')).toContain('open the newest link in the terminal');
    for (const token of ['', 'x', another.signInToken()]) {
      expect(await open(url, token)).not.toContain('<button type="submit" name="tenant"');
      const { status, cookies } = await press(url, { token, tenant });
      expect([status, cookies]).toEqual([403, []]);
    }
    expect((await press(url, { tenant })).status).toBe(400);
    await instance.stop();
    await another.stop();
  });

  test('the token is in no log line, and no other site can use it', async () => {
    const instance = await startInstance({ env: { ...local, LOG_REQUESTS: 'all' } });
    const { url, tenant } = instance;
    const token = instance.signInToken();
    await open(url, token);
    expect((await press(url, { token, tenant }, { Origin: 'http://evil.example' })).status).toBe(403);
    expect((await press(url, { token, tenant })).status).toBe(303);
    expect(instance.logged.join('')).toContain('/dashboard/sign-in');
    expect(instance.logged.join('')).not.toContain(token);
    await instance.stop();
  });

  test('there is none unless it is configured', async () => {
    const instance = await startInstance();
    expect((await ask(`${instance.url}/dashboard/sign-in`)).text).toContain('No sign-in is configured');
    const { to, cookies } = await press(instance.url, { token: instance.signInToken(), tenant: instance.tenant });
    expect([to, cookies]).toEqual(['/dashboard/sign-in', []]); // nobody is signed in
    await instance.stop();
  });
});

describe('with an embedded database, on one machine', () => {
  test('a local sign-in makes a tenant, and its user administers', async () => {
    const made = await KINDS.Postgres();
    const instance = await startInstance({ keys: [], env: { ...databaseEnv(made.url), ...local } });
    const { status, cookies } = await press(instance.url, { token: instance.signInToken() });
    expect(status).toBe(303);
    const page = await ask(`${instance.url}/dashboard/tenants`, { headers: { Cookie: bare(cookies[0]) } });
    expect(page.text).toContain('local-user-');
    await instance.stop();
    await made.drop();
  });
});
