/**
 * Signing in, as somebody would who does not keep to the rules (docs/specification.md#identity).
 */
import { describe, expect, test } from 'vitest';
import { readSignIn } from '../../src/engine/tenant/signIns.ts';
import { parseSession } from '../../src/identity/credentials.ts';
import { ask, bare } from '../support/ask.ts';
import { startInstance } from '../support/service.ts';
import { finish, service, sessionOf, signInUpTo, tenantOf, useSigningIn } from '../support/signingIn.ts';
import { signIn } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

useSigningIn();

describe('a sign-in', () => {
  test('makes a session in a cookie that scripts cannot read and other sites cannot send', async () => {
    const { back, cookie } = await signInUpTo('alice');
    const { status, to, cookies } = await finish(back, cookie);
    expect([status, to]).toEqual([303, '/dashboard']);
    const session = cookies.find((one) => one.startsWith('holdfast_session='));
    expect(session).toMatch(/; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await ask(`${service.other.url}/dashboard`, { headers: { Cookie: bare(session) } })).status).toBe(200);
  });

  test('behind TLS, its cookies are for TLS and this host alone: no sibling host can plant one', async () => {
    const secure = await startInstance({ keys: [], env: { ...service.env, PUBLIC_URL: 'https://holdfast.example' } });
    const { cookies } = await ask(`${secure.url}/auth/start`);
    expect(cookies[0]).toMatch(/^__Host-holdfast_sign_in=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const session = await sessionOf('alice');
    const see = async (cookie: string) =>
      (await ask(`${secure.url}/dashboard`, { headers: { Cookie: cookie } })).status;
    expect([await see(session), await see(`__Host-${session}`)]).toEqual([303, 200]);
    const api = (cookie: string) =>
      ask(`${secure.url}/api/v1/Tenant/keys`, { headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' } });
    expect([(await api(session)).status, (await api(`__Host-${session}`)).status]).toEqual([401, 200]);
    await secure.stop();
  });

  test('ends the session that its browser had before', async () => {
    const before = await sessionOf('alice');
    const { back, cookie } = await signInUpTo('bob');
    const { cookies } = await finish(back, `${cookie}; ${before}`);
    const see = async (session: string) =>
      (await ask(`${service.other.url}/dashboard`, { headers: { Cookie: session } })).status;
    const after = bare(cookies.find((one) => one.startsWith('holdfast_session=')));
    expect([await see(before), await see(after)]).toEqual([303, 200]);
  });

  test('and its end are in the audit trail of the tenant that it opens: who, when, and from which address', async () => {
    const first = await sessionOf('kim');
    const { back, cookie } = await signInUpTo('kim');
    const { cookies } = await finish(back, `${cookie}; ${first}`);
    const session = bare(cookies.find((one) => one.startsWith('holdfast_session=')));
    await ask(`${service.one.url}/dashboard/sign-out`, {
      method: 'POST',
      headers: { Cookie: session, Origin: service.one.url },
    });
    const { cookie: owner } = await signIn(service.one.redis, tenantOf(session));
    const entries = await until('all entries', async () => {
      const query = 'actor=person:kim@id.example&format=csv';
      const { text } = await ask(`${service.other.url}/api/v1/Tenant/audit?${query}`, { headers: { Cookie: owner } });
      const found = text.split('\r\n').filter((line) => line.includes('person.sign-'));
      return found.length === 4 ? found : undefined;
    });
    const made = entries.map((line) => /person\.sign-\w+/.exec(line)?.[0]);
    expect(made.toSorted()).toEqual(['person.sign-in', 'person.sign-in', 'person.sign-out', 'person.sign-out']);
    for (const line of entries) expect(line).toContain('127.0.0.1');
  });

  test('of somebody whose subject cannot be stored is refused', async () => {
    const { back, cookie } = await signInUpTo('a\u0000b');
    expect((await finish(back, cookie)).status).toBe(403);
  });

  test('that another browser began is refused: nobody is signed in as somebody else by a link', async () => {
    const { back } = await signInUpTo('mallory');
    const { cookie: theirs } = await signInUpTo('victim');
    for (const cookie of ['', theirs, 'holdfast_sign_in=nonsense']) {
      const { status, cookies } = await finish(back, cookie);
      expect([status, cookies.filter((one) => one.startsWith('holdfast_session'))]).toEqual([403, []]);
    }
  });

  test('that is repeated, or whose answer was changed, is refused', async () => {
    const { back, cookie } = await signInUpTo('bob');
    const changed = new URL(back);
    changed.searchParams.set('code', 'another');
    expect((await finish(changed.href, cookie)).status).toBe(403);
    changed.search = '?error=access_denied';
    expect((await finish(changed.href, cookie)).status).toBe(403);
    expect((await finish(back, cookie)).status).toBe(303);
    expect((await finish(back, cookie)).status).toBe(403);
  });

  test.each([
    'https://evil.example/',
    '//evil.example/dashboard',
    '/dashboard/../../evil',
    '/dashboard\\@evil.example',
    '/dashboard/x\\..\\..\\\\evil.example',
    '/dashboard/%2e%2e//evil.example',
    '/dashboard/%2E./%2e./evil',
    'javascript:alert(1)',
    '/api/v1/Tenant',
    '/dashboardevil',
    '/dashboard?\r\nX: y',
    `/dashboard?${'x'.repeat(1000)}`,
  ])('to %s leads to no other place than the dashboard', async (to) => {
    const { back, cookie } = await signInUpTo('carol', to);
    const answer = await finish(back, cookie);
    const landed = new URL(answer.to ?? '', service.one.url);
    expect([answer.status, landed.origin]).toEqual([303, service.one.url]);
    expect(landed.pathname).toBe('/dashboard');
  });

  test('counts as a failed authentication of the address where it fails', async () => {
    const strict = await startInstance({
      keys: [],
      env: { ...service.env, MAX_FAILED_AUTHENTICATIONS: '2', TRUSTED_PROXIES: '1' },
    });
    const { cookie } = await signInUpTo('dave');
    const attempt = () =>
      ask(`${strict.url}/auth/callback?code=x&state=y`, {
        headers: { Cookie: cookie, 'X-Forwarded-For': '192.0.2.1' },
      });
    expect([(await attempt()).status, (await attempt()).status, (await attempt()).status]).toEqual([403, 403, 429]);
    await strict.stop();
  });

  test('while the provider is away: 503, and it heals', async () => {
    const away = await startInstance({ keys: [], env: { ...service.env, OIDC_ISSUER: 'http://127.0.0.1:1' } });
    expect((await ask(`${away.url}/auth/start`)).status).toBe(503);
    expect((await ask(`${away.url}/dashboard/sign-in`)).status).toBe(200);
    await away.stop();
  });

  test('an e-mail address that the provider has not verified makes nobody an administrator', async () => {
    const env = { ...service.env, ADMINS: 'unverified@id.example,verified@id.example' };
    const instance = await startInstance({ keys: [], env });
    const statusOf = async (who: string) => {
      const { back, cookie } = await signInUpTo(who);
      const session = (await finish(back, cookie)).cookies.find((one) => one.startsWith('holdfast_session='));
      return (await ask(`${instance.url}/dashboard/tenants`, { headers: { Cookie: bare(session) } })).status;
    };
    expect([await statusOf('unverified'), await statusOf('verified')]).toEqual([403, 200]);
    await instance.stop();
  });
});

describe('the rights of an administrator', () => {
  const lapsed = async () => {
    const tenant = tenantOf(await sessionOf('root'));
    const { cookie } = await signIn(service.one.redis, tenant, { email: 'root@id.example', describedUntilMs: 1 });
    return { headers: { Cookie: cookie, Origin: service.one.url } };
  };

  test('hold for 15 minutes from a sign-in', async () => {
    const startMs = Date.now();
    const root = await sessionOf('root');
    const credential = parseSession(root.split('=')[1] ?? '');
    const user = credential && (await readSignIn(service.one, credential));
    expect(user?.describedUntilMs).toBeGreaterThanOrEqual(startMs + 900_000);
    expect(user?.describedUntilMs).toBeLessThanOrEqual(Date.now() + 900_000);
    expect((await ask(`${service.one.url}/dashboard/tenants`, { headers: { Cookie: root } })).status).toBe(200);
  });

  test('once they have lapsed, lead through the provider and back to the page, or to the page that a form was on', async () => {
    const init = await lapsed();
    const to = (path: string) => `/auth/start?${new URLSearchParams({ to: path })}`;
    for (const page of ['/dashboard/tenants', '/dashboard/tenants?q=a', '/dashboard/tenants/acme'])
      expect(await ask(service.one.url + page, init)).toMatchObject({ status: 303, to: to(page) });
    const form = { ...init, method: 'POST', body: new URLSearchParams({ tier: 'Pro' }) };
    for (const action of ['tier', 'suspend'])
      expect(await ask(`${service.one.url}/dashboard/tenants/acme/${action}`, form)).toMatchObject({
        status: 303,
        to: to('/dashboard/tenants/acme'),
      });
    expect((await ask(`${service.one.url}/api/v1/admin/tenants`, init)).status).toBe(403);
  });

  test('once they have lapsed, leave all other pages and forms as they were', async () => {
    const init = await lapsed();
    const page = await ask(`${service.one.url}/dashboard`, init);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('href="/dashboard/tenants"')]);
    const form = { ...init, method: 'POST', body: new URLSearchParams({}) };
    expect((await ask(`${service.one.url}/dashboard/settings`, form)).to).toBe('/dashboard/settings?done=saved');
  });
});
