/**
 * Signing in, as somebody would who does not keep to the rules (docs/specification.md#identity).
 */
import { request } from 'node:http';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readSession } from '../../src/engine/tenant/sessions.ts';
import { parseSession } from '../../src/identity/credentials.ts';
import { type DashboardService, startDashboard } from '../support/dashboard.ts';
import { redisAddress } from '../support/redisAddress.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

let service: DashboardService;
beforeAll(async () => {
  service = await startDashboard();
});
afterAll(() => service.stop());

interface Answer {
  readonly status: number;
  readonly to: string | null;
  readonly cookies: readonly string[];
  readonly headers: Headers;
  readonly text: string;
}

async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const cookies = response.headers.getSetCookie();
  return {
    status: response.status,
    to: response.headers.get('location'),
    cookies,
    headers: response.headers,
    text: await response.text(),
  };
}

const bare = (cookie: string | undefined) => cookie?.split(';')[0] ?? '';

/**
 * Goes as far as the provider's answer: the address that it sends the browser back to, and the cookie of the sign-in
 * that has begun.
 */
async function signInUpTo(who: string, to?: string): Promise<{ back: string; cookie: string }> {
  const query = to === undefined ? '' : `?${new URLSearchParams({ to })}`;
  const start = await ask(`${service.one.url}/auth/start${query}`);
  const jar = new Map<string, string>();
  let url = `${start.to}&${new URLSearchParams({ login_hint: who })}`;
  while (url.startsWith(service.provider.issuer)) {
    const answer = await ask(url, { headers: { Cookie: [...jar.values()].join('; ') } });
    for (const cookie of answer.cookies) jar.set(cookie.split('=')[0] ?? '', bare(cookie));
    if (answer.to === null) throw new Error(answer.text);
    url = new URL(answer.to, url).href;
  }
  return { back: url, cookie: bare(start.cookies[0]) };
}

const finish = (back: string, cookie: string) => ask(back, { headers: { Cookie: cookie } });

/** Signs somebody in; gives the cookie of their session. */
async function sessionOf(who: string): Promise<string> {
  const { back, cookie } = await signInUpTo(who);
  return bare((await finish(back, cookie)).cookies.find((one) => one.startsWith('holdfast_session=')));
}

const tenantOf = (session: string) => /hfs_([a-z0-9-]+)_/.exec(session)?.[1] ?? '';

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
    const user = credential && (await readSession(service.one, credential));
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

describe('pages and forms', () => {
  const session = sessionOf;
  const FORMS = [
    'rotate',
    'reservations/release',
    'reservations/reset',
    'resources',
    'resources/one/delete',
    'keys',
    'keys/rotate',
    'keys/delete',
    'settings',
    'settings/issuers',
    'settings/issuers/delete',
    'tenants/acme/tier',
    'tenants/acme/suspend',
    'sign-out',
  ];

  test('without a session lead to the sign-in, and do nothing', async () => {
    for (const page of [
      '',
      '/live',
      '/reservations',
      '/resources',
      '/resources/one',
      '/keys',
      '/settings',
      '/tenants',
      '/x',
    ])
      expect(await ask(`${service.one.url}/dashboard${page}`)).toMatchObject({
        status: 303,
        to: expect.stringContaining('/dashboard/sign-in'),
      });
    for (const form of FORMS.filter((one) => one !== 'sign-out')) {
      const init = { method: 'POST', headers: { Origin: service.one.url }, body: new URLSearchParams({ name: 'x' }) };
      expect([form, (await ask(`${service.one.url}/dashboard/${form}`, init)).to]).toEqual([
        form,
        '/dashboard/sign-in',
      ]);
    }
  });

  test('of another site are refused, whatever cookie comes with them', async () => {
    const cookie = await session('erin');
    const foreign: Record<string, string>[] = [
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      {},
    ];
    for (const headers of foreign)
      for (const form of FORMS) {
        const init = {
          method: 'POST',
          headers: { Cookie: cookie, ...headers },
          body: new URLSearchParams({ name: 'x' }),
        };
        expect([form, (await ask(`${service.one.url}/dashboard/${form}`, init)).status]).toEqual([form, 403]);
      }
  });

  test('that are too large: 413', async () => {
    const headers = { Cookie: await session('erin'), Origin: service.one.url };
    const init = { method: 'POST', headers, body: new URLSearchParams({ name: 'x'.repeat(2_000_000) }) };
    for (const form of ['settings', 'sign-out'])
      expect((await ask(`${service.one.url}/dashboard/${form}`, init)).status).toBe(413);
  });

  test('signing out of a session that there is not tells nobody', async () => {
    const cookie = await session('erin');
    const tenant = /hfs_([a-z0-9-]+)_/.exec(cookie)?.[1];
    const subscriber = new Redis(redisAddress(inject('redisUrl')));
    const messages: string[] = [];
    subscriber.on('smessage', (channel: string) => messages.push(channel));
    await subscriber.ssubscribe(`{${tenant}}:events`);
    const signOut = (sent: string) =>
      ask(`${service.one.url}/dashboard/sign-out`, {
        method: 'POST',
        headers: { Cookie: sent, Origin: service.one.url },
      });
    for (let turn = 0; turn < 5; turn++) await signOut(`holdfast_session=hfs_${tenant}_${String(turn).repeat(40)}`);
    await signOut(cookie);
    await until('the message', () => messages.length > 0);
    expect(messages).toHaveLength(1);
    subscriber.disconnect();
  });

  test('while the writes of a tenant are spent, its keys can still be rotated: one may have leaked', async () => {
    const spent = await startInstance({ keys: [], env: { ...service.env, TIERS: '{"Free": {"writesPerDay": 1}}' } });
    const cookie = await session('niaj');
    const post = (path: string, fields: Record<string, string>) =>
      ask(`${spent.url}/dashboard/${path}`, {
        method: 'POST',
        headers: { Cookie: cookie, Origin: spent.url },
        body: new URLSearchParams(fields),
      });
    const settings = [await post('settings', {}), await post('settings', {})];
    expect(settings.map(({ status }) => status)).toEqual([303, 429]);
    expect(settings[1]?.headers.get('retry-after')).not.toBeNull();
    const page = await ask(`${spent.url}/dashboard`, { headers: { Cookie: cookie } });
    const id = /name="id" value="([0-9a-f-]+)"/.exec(page.text)?.[1] ?? '';
    expect((await post('rotate', { id })).to).toBe('/dashboard?done=rotated');
    await spent.stop();
  });

  test('cost a read each, whatever the method, of a quota that keys cannot spend', async () => {
    const few = await startInstance({ keys: [], env: { ...service.env, TIERS: '{"Free": {"readsPerMinute": 3}}' } });
    const headers = { Cookie: await session('olivia'), Origin: few.url };
    const key = /hf_[a-z0-9-]+_\w{32,}/.exec((await ask(`${few.url}/dashboard`, { headers })).text)?.[0] ?? '';
    for (let turn = 0; turn < 5; turn++)
      await ask(`${few.url}/api/v1/Resource/tree`, { headers: { 'X-Api-Key': key } });
    expect((await ask(`${few.url}/dashboard`, { method: 'HEAD', headers })).status).toBe(200);
    const release = { method: 'POST', headers, body: new URLSearchParams({ resource: 'r', requester: 'q' }) };
    expect((await ask(`${few.url}/dashboard/reservations/release`, release)).status).toBe(409);
    expect((await ask(`${few.url}/dashboard`, { headers })).status).toBe(429);
    await few.stop();
  });

  test('that are malformed: 400', async () => {
    const cookie = await session('erin');
    for (const form of ['reservations/release', 'resources', 'keys/rotate', 'settings/issuers']) {
      const init = {
        method: 'POST',
        headers: { Cookie: cookie, Origin: service.one.url },
        body: new URLSearchParams({ x: 'y' }),
      };
      expect([form, (await ask(`${service.one.url}/dashboard/${form}`, init)).status]).toEqual([form, 400]);
    }
  });

  test('may be framed, kept or scripted by nobody else', async () => {
    const { headers, text } = await ask(`${service.one.url}/dashboard`, { headers: { Cookie: await session('erin') } });
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style=/);
  });

  test('say only of what can be done that it was done', async () => {
    const headers = { Cookie: await session('erin') };
    const page = async (done: string) =>
      (await ask(`${service.one.url}/dashboard/keys?done=${done}`, { headers })).text;
    expect(await page('created')).toContain('class="notice good"');
    for (const done of ['constructor', '__proto__', 'toString', 'nothing'])
      expect(await page(done)).not.toContain('class="notice good"');
  });

  test('show names as they are, whatever is in them', async () => {
    const cookie = await session('frank');
    const name = '"><script>alert(1)</script>';
    const init = {
      method: 'POST',
      headers: { Cookie: cookie, Origin: service.one.url, 'Content-Type': 'application/json' },
      body: JSON.stringify([{ resource: name, requester: name }]),
    };
    await ask(`${service.one.url}/api/v1/Reservation/reserve`, init);
    const { text } = await ask(`${service.one.url}/dashboard/reservations?q=${encodeURIComponent(name)}`, {
      headers: { Cookie: cookie },
    });
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('<script>alert');
  });

  test('count as reads of the tenant, and say so where they are spent', async () => {
    const few = await startInstance({ keys: [], env: { ...service.env, TIERS: '{"Free": {"readsPerMinute": 2}}' } });
    const cookie = await session('grace');
    const see = () => ask(`${few.url}/dashboard/settings`, { headers: { Cookie: cookie } });
    expect([(await see()).status, (await see()).status]).toEqual([200, 200]);
    const { status, text } = await see();
    expect([status, text]).toEqual([429, expect.stringContaining('2 ReadsPerMinute')]);
    await few.stop();
  });

  test('of a tenant that is suspended: 403; signing out goes on', async () => {
    const cookie = await session('heidi');
    const root = await session('root');
    const tenant = /holdfast_session=hfs_([a-z0-9-]+)_/.exec(cookie)?.[1];
    const init = { method: 'POST', headers: { Cookie: root, Origin: service.one.url } };
    await ask(`${service.one.url}/api/v1/admin/tenants/${tenant}/suspend`, init);
    expect(await ask(`${service.one.url}/dashboard`, { headers: { Cookie: cookie } })).toMatchObject({
      status: 403,
      text: expect.stringContaining('This tenant is suspended'),
    });
    const show = {
      method: 'POST',
      headers: { Cookie: cookie, Origin: service.one.url },
      body: new URLSearchParams({ label: 'x' }),
    };
    expect((await ask(`${service.one.url}/dashboard/keys`, show)).status).toBe(403);
    const out = { method: 'POST', headers: { Cookie: cookie, Origin: service.one.url } };
    expect((await ask(`${service.one.url}/dashboard/sign-out`, out)).to).toBe('/dashboard/sign-in?out');
  });
});

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

  test('who uses this machine signs in to a tenant of the configuration, and sees what there is', async () => {
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
    expect(await see('')).toContain(keys[0]?.key);
    expect(await see('/keys')).toContain('worker');
    for (const path of ['', '/keys', '/settings', '/tenants']) expect(await see(path)).toContain('DATABASE_URL');
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
    const env: Record<string, string> = { ...service.env, LOCAL_SIGN_IN: 'true', OIDC_ISSUER: '', PUBLIC_URL: '' };
    const instance = await startInstance({ keys: [], env });
    const init = { method: 'POST', headers: { Origin: instance.url }, body: new URLSearchParams() };
    const { status, cookies } = await ask(`${instance.url}/dashboard/sign-in`, init);
    expect(status).toBe(303);
    const page = await ask(`${instance.url}/dashboard/tenants`, { headers: { Cookie: bare(cookies[0]) } });
    expect(page.text).toContain('local-user-');
    await instance.stop();
  });
});
