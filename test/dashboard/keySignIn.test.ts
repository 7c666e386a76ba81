/**
 * The sign-in with an API key (LOCAL_SIGN_IN=key): who may use it, and how long it lasts
 * (docs/specification.md#without-a-database).
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeKey } from '../../src/identity/credentials.ts';
import { ask, bare } from '../support/ask.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

const env = { LOCAL_SIGN_IN: 'key', HOST: '0.0.0.0', TRUSTED_PROXIES: '1', MAX_FAILED_AUTHENTICATIONS: '3' };
/** Failures of other tests do not count. */
const ADDRESS = `2001:db8::${randomBytes(2).toString('hex')}`;

const signIn = (url: string, key: string, headers: Record<string, string> = {}) =>
  ask(`${url}/dashboard/sign-in`, {
    method: 'POST',
    headers: { Origin: url, 'X-Forwarded-For': ADDRESS, ...headers },
    body: new URLSearchParams({ key }),
  });

test('whoever has an unrestricted key signs in to its tenant, also from elsewhere, and to no other', async () => {
  const [tenant, another] = [makeTenant(), makeTenant()];
  const keys = [makeConfiguredKey(tenant), makeConfiguredKey(another)];
  const instance = await startInstance({ keys, env });
  expect((await ask(`${instance.url}/dashboard/sign-in`)).text).toContain('API key');
  // Through a proxy: unlike the sign-in without a password, it need not know where the person is.
  const { status, cookies } = await signIn(instance.url, keys[0]?.key ?? '');
  expect(status).toBe(303);
  const headers = { Cookie: bare(cookies[0]) };
  await instance.reserve({ resource: 'seen', requester: 'me' });
  expect((await ask(`${instance.url}/dashboard`, { headers })).text).toContain('seen');
  const page = (await ask(`${instance.url}/dashboard/overview`, { headers })).text;
  expect(page).toContain(tenant);
  expect(page).not.toContain(another);
  await instance.stop();
});

test('restricted and unknown keys are refused, and failures are counted as those of callers', async () => {
  const tenant = makeTenant();
  const keys = [{ ...makeConfiguredKey(tenant), permission: 'read' as const }];
  const instance = await startInstance({ keys, env });
  const statuses = [];
  for (const key of [keys[0]?.key ?? '', makeKey(tenant), '', makeKey(tenant)])
    statuses.push((await signIn(instance.url, key)).status);
  expect(statuses).toEqual([403, 403, 403, 429]);
  await instance.stop();
});

test('a page of another site cannot sign anybody in', async () => {
  const keys = [makeConfiguredKey(makeTenant())];
  const instance = await startInstance({ keys, env });
  const answer = await signIn(instance.url, keys[0]?.key ?? '', { Origin: 'http://evil.example' });
  expect([answer.status, answer.cookies]).toEqual([403, []]);
  await instance.stop();
});

test('a session ends with its key', async () => {
  const tenant = makeTenant();
  const [old, kept] = [makeConfiguredKey(tenant), makeConfiguredKey(tenant)];
  const before = await startInstance({ keys: [old, kept], env });
  const sessions: string[] = [];
  for (const { key } of [old, kept]) sessions.push(bare((await signIn(before.url, key)).cookies[0]));
  const see = async (url: string) =>
    Promise.all(
      sessions.map(async (Cookie) => (await ask(`${url}/dashboard/overview`, { headers: { Cookie } })).status),
    );
  expect(await see(before.url)).toEqual([200, 200]);
  await before.stop();
  const after = await startInstance({ keys: [kept], env });
  expect(await see(after.url)).toEqual([303, 200]);
  await after.stop();
});
