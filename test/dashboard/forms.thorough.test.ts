/**
 * Pages and forms, as somebody would ask for them who does not keep to the rules (docs/specification.md#identity).
 */
import { Redis } from 'ioredis';
import { describe, expect, inject, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { redisAddress } from '../support/redisAddress.ts';
import { startInstance } from '../support/service.ts';
import { service, sessionOf, useSigningIn } from '../support/signingIn.ts';
import { until } from '../support/until.ts';

useSigningIn();

describe('pages and forms', () => {
  const session = sessionOf;
  const FORMS = [
    'rotate',
    'reserve',
    'claim',
    'undo',
    'demo',
    'demo/try',
    'demo/remove',
    'extend',
    'release',
    'leave-queue',
    'reservations/selected',
    'reservations/release',
    'reservations/reset',
    'resources',
    'resources/one/cancel?name=x',
    'resources/one/delete',
    'access/keys',
    'access/keys/change',
    'access/keys/rotate',
    'access/keys/delete',
    'access/tokens',
    'access/tokens/delete',
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
      '/activity/live',
      '/resources',
      '/resources/one',
      '/activity',
      '/access/keys',
      '/access/tokens',
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

  test('and pages that fail show nothing of the fault; the log has the lines of code that it comes from', async () => {
    const cookie = await session('trent');
    const tenant = /hfs_([a-z0-9-]+)_/.exec(cookie)?.[1];
    // A key of another type than the scripts expect.
    await service.one.redis.set(`{${tenant}}:slots`, 'x');
    const page = await ask(`${service.one.url}/dashboard`, { headers: { Cookie: cookie } });
    expect([page.status, page.text.includes('WRONGTYPE'), /\.[jt]sx?:\d+/.test(page.text)]).toEqual([
      500,
      false,
      false,
    ]);
    const lines = service.one.logged.map((text) => JSON.parse(text));
    const line = lines.find(
      ({ msg, requestId }) => msg === 'page failed' && requestId === page.headers.get('x-request-id'),
    );
    expect([line.err.message, line.stack.join()]).toEqual([
      expect.stringContaining('WRONGTYPE'),
      expect.stringMatching(/\.[jt]sx?:\d+:\d+/),
    ]);
    expect(JSON.stringify(line)).not.toContain(cookie.replace(/^.*=/, ''));
  });

  test('and pages that read what they do not understand fail, too; a malformed address is refused', async () => {
    const cookie = await session('walter');
    const page = (path: string) => ask(`${service.one.url}/dashboard${path}`, { headers: { Cookie: cookie } });
    expect((await page('/resources/one')).status).toBe(400);
    // A reservation with details of another form than the instance knows (lua/slots/codec.lua).
    const rest = `${'T'.repeat(22)}\0\0x\0\0{"x":{"note":5}}\0`;
    const record = Buffer.concat([
      Buffer.from([3, 0, 0, 0, 1]),
      Buffer.from('r\0\0'),
      Buffer.alloc(20),
      Buffer.from(rest),
    ]);
    await service.one.redis.hset(`{${/hfs_([a-z0-9-]+)_/.exec(cookie)?.[1]}}:slots`, 'x', record);
    const { status, headers } = await page('?view=table');
    expect(status).toBe(500);
    const lines = service.one.logged.map((text) => JSON.parse(text));
    const line = lines.find(({ requestId }) => requestId === headers.get('x-request-id'));
    expect(line).toMatchObject({ msg: 'page failed', err: { type: 'ZodError' }, stack: expect.any(Array) });
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
    for (let round = 0; round < 5; round++) await signOut(`holdfast_session=hfs_${tenant}_${String(round).repeat(40)}`);
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
    const page = await ask(`${spent.url}/dashboard/overview`, { headers: { Cookie: cookie } });
    const id = /name="id" value="([0-9a-f-]+)"/.exec(page.text)?.[1] ?? '';
    expect((await post('rotate', { id })).to).toBe('/dashboard/overview?done=rotated&show');
    await spent.stop();
  });

  test('cost a read each, whatever the method, of a quota that keys cannot spend', async () => {
    const few = await startInstance({ keys: [], env: { ...service.env, TIERS: '{"Free": {"readsPerMinute": 3}}' } });
    const headers = { Cookie: await session('olivia'), Origin: few.url };
    const key = /hf_[a-z0-9-]+_\w{32,}/.exec((await ask(`${few.url}/dashboard`, { headers })).text)?.[0] ?? '';
    for (let round = 0; round < 5; round++)
      await ask(`${few.url}/api/v1/Resource/tree`, { headers: { 'X-Api-Key': key } });
    expect((await ask(`${few.url}/dashboard`, { method: 'HEAD', headers })).status).toBe(200);
    const release = { method: 'POST', headers, body: new URLSearchParams({ one: '["r","q"]' }) };
    expect((await ask(`${few.url}/dashboard/reservations/release`, release)).status).toBe(409);
    expect((await ask(`${few.url}/dashboard`, { headers })).status).toBe(429);
    await few.stop();
  });

  test('that are malformed: 400', async () => {
    const cookie = await session('erin');
    for (const form of ['reservations/release', 'resources', 'access/keys/rotate', 'settings/issuers']) {
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
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style=/);
  });

  test('confirm only actions that exist', async () => {
    const headers = { Cookie: await session('erin') };
    const page = async (done: string) =>
      (await ask(`${service.one.url}/dashboard/access/keys?done=${done}`, { headers })).text;
    expect(await page('created')).toContain('class="toast"');
    for (const done of ['constructor', '__proto__', 'toString', 'nothing'])
      expect(await page(done)).not.toContain('class="toast"');
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
    const { text } = await ask(`${service.one.url}/dashboard?view=table&q=${encodeURIComponent(name)}`, {
      headers: { Cookie: cookie },
    });
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('<script>alert');
  });

  test('count as reads of the tenant, and say so once these are spent', async () => {
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
    expect((await ask(`${service.one.url}/dashboard/access/keys`, show)).status).toBe(403);
    const out = { method: 'POST', headers: { Cookie: cookie, Origin: service.one.url } };
    expect((await ask(`${service.one.url}/dashboard/sign-out`, out)).to).toBe('/dashboard/sign-in?out');
  });
});
