/**
 * The local sign-in: who may use it, and what it leads to (docs/specification.md#identity).
 */
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ask, bare } from '../support/ask.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { databaseEnv, KINDS } from '../support/tenancy.ts';

const FORWARDING = [
  'Forwarded',
  'Via',
  'X-Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Server',
  'X-Forwarded-Port',
  'X-Real-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'X-Original-Forwarded-For',
  'X-Originating-IP',
  'X-Remote-IP',
  'X-Remote-Addr',
  'X-ProxyUser-Ip',
  'X-Envoy-External-Address',
  'X-Azure-ClientIP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'CF-Connecting-IPv6',
  'CF-Ray',
  'Fastly-Client-IP',
  'Fly-Client-IP',
  'Ngrok-Trace-Id',
  'Tailscale-User-Login',
];

describe('without a database', () => {
  const local = { LOCAL_SIGN_IN: 'true' };
  const form = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    ask(`${url}/dashboard/sign-in`, {
      method: 'POST',
      headers: { Origin: url, ...headers },
      body: new URLSearchParams(fields),
    });

  test('a user of this machine signs in to a configured tenant, and sees its data', async () => {
    const [tenant, another] = [makeTenant(), makeTenant()];
    const keys = [makeConfiguredKey(tenant, 'worker'), makeConfiguredKey(another)];
    const instance = await startInstance({ keys, env: local });
    const page = await ask(`${instance.url}/dashboard/sign-in`);
    expect(page.text).toContain('Local sign-in');
    for (const one of [tenant, another]) expect(page.text).toContain(`Sign in to tenant ${one}`);
    const { status, cookies } = await form(instance.url, { tenant });
    expect(status).toBe(303);
    const see = async (path: string) =>
      (await ask(`${instance.url}/dashboard${path}`, { headers: { Cookie: bare(cookies[0]) } })).text;
    expect(await see('/overview')).not.toContain(keys[0]?.key);
    expect(await see('/overview?show')).toContain(keys[0]?.key);
    expect(await see('/keys')).toContain('worker');
    for (const path of ['/overview', '/keys', '/settings', '/tenants'])
      expect(await see(path)).toContain('DATABASE_URL');
    await instance.reserve({ resource: 'seen', requester: 'me' });
    expect(await see('/reservations')).toContain('seen');
    expect((await form(instance.url, { tenant: 'nobody' })).status).toBe(404);
    await instance.stop();
  });

  test('a local sign-in is refused to a page that made its name lead here, and to what a proxy hands on', async () => {
    const instance = await startInstance({ env: local });
    const { port } = new URL(instance.url);
    const { tenant } = instance;
    expect((await form(instance.url, { tenant }, { 'X-Forwarded-For': '192.0.2.1' })).status).toBe(403);
    for (const name of FORWARDING)
      expect([name, (await form(instance.url, { tenant }, { [name]: '192.0.2.1' })).status]).toEqual([name, 403]);
    expect((await form(instance.url, { tenant }, { Origin: 'http://evil.example' })).status).toBe(403);
    const asked = { Origin: 'https://public.example', 'Sec-Fetch-Site': 'same-origin' };
    expect((await form(instance.url, { tenant }, asked)).status).toBe(403);
    const rebound = new Promise<number | undefined>((resolve, reject) => {
      const headers = { Host: `evil.example:${port}`, Origin: `http://evil.example:${port}` };
      request({ port, host: '127.0.0.1', path: '/dashboard/sign-in', method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(await rebound).toBe(403);
    expect((await form(`http://localhost:${port}`, { tenant })).status).toBe(303);
    await instance.stop();
  });

  test('there is none unless it is configured', async () => {
    const instance = await startInstance();
    expect((await ask(`${instance.url}/dashboard/sign-in`)).text).toContain('No sign-in is configured');
    expect((await form(instance.url, { tenant: instance.tenant })).status).toBe(303); // to the sign-in: nobody is signed in
    expect((await form(instance.url, { tenant: instance.tenant })).cookies).toEqual([]);
    await instance.stop();
  });
});

describe('with an embedded database, on one machine', () => {
  test('a local sign-in makes a tenant, and its user administers', async () => {
    const made = await KINDS.Postgres();
    const instance = await startInstance({ keys: [], env: { ...databaseEnv(made.url), LOCAL_SIGN_IN: 'true' } });
    const init = { method: 'POST', headers: { Origin: instance.url }, body: new URLSearchParams() };
    const { status, cookies } = await ask(`${instance.url}/dashboard/sign-in`, init);
    expect(status).toBe(303);
    const page = await ask(`${instance.url}/dashboard/tenants`, { headers: { Cookie: bare(cookies[0]) } });
    expect(page.text).toContain('local-user-');
    await instance.stop();
    await made.drop();
  });
});
