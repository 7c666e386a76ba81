/**
 * Members, links and switching as people do them in the dashboard (docs/specification.md#members).
 */
import { describe, expect, test } from 'vitest';
import { ask, bare } from '../support/ask.ts';
import { service, sessionOf, tenantOf, useSigningIn } from '../support/signingIn.ts';

useSigningIn();

const get = (session: string, path: string) => ask(`${service.one.url}${path}`, { headers: { Cookie: session } });
const post = (session: string, path: string, fields: Record<string, string> = {}) =>
  ask(`${service.one.url}${path}`, {
    method: 'POST',
    headers: { Cookie: session, Origin: service.one.url },
    body: new URLSearchParams(fields),
  });
const sessionIn = (cookies: readonly string[]) => bare(cookies.find((one) => one.startsWith('holdfast_session=')));

describe('a link of an invitation', () => {
  test('lets somebody join who signs in, and leaves no trace in the log; the header then switches', async () => {
    const owner = await sessionOf('lin');
    const { text } = await post(owner, '/dashboard/access', { email: '', role: 'viewer' });
    const path = /\/join\/[0-9a-f]{40}/.exec(text)?.[0] ?? '';
    const out = await ask(`${service.one.url}${path}`);
    expect([out.status, out.to]).toEqual([303, `/dashboard/sign-in?${new URLSearchParams({ to: path })}`]);
    const guest = await sessionOf('guest');
    expect((await get(guest, path)).text).toContain('as viewer');
    const joined = await post(guest, path);
    const session = sessionIn(joined.cookies);
    expect([joined.status, tenantOf(session)]).toEqual([303, tenantOf(owner)]);
    expect(service.one.logged.join('')).not.toContain(path);

    const overview = await get(session, '/dashboard');
    expect(overview.text).toContain('action="/dashboard/switch"');
    expect(overview.text).not.toContain('hf_');
    for (const page of ['access/keys', 'access', 'settings'])
      expect([page, (await get(session, `/dashboard/${page}`)).status]).toEqual([page, 403]);

    const higher = await post(owner, '/dashboard/access', { email: '', role: 'operator' });
    const again = await post(session, /\/join\/[0-9a-f]{40}/.exec(higher.text)?.[0] ?? '');
    expect([again.status, (await get(sessionIn(again.cookies), '/dashboard/activity/changes')).status]).toEqual([
      303, 403,
    ]);

    const back = await post(sessionIn(again.cookies), '/dashboard/switch', { tenant: tenantOf(guest) });
    expect(tenantOf(sessionIn(back.cookies))).toBe(tenantOf(guest));
    expect((await get(session, '/dashboard')).status).toBe(303);
    expect((await post(sessionIn(back.cookies), '/dashboard/switch', { tenant: 'another' })).status).toBe(404);
  });
});

describe('the form that books for somebody', () => {
  test('suggests the members of the tenant by name and address', async () => {
    const { text } = await get(await sessionOf('lin'), '/dashboard/book');
    expect(text).toMatch(/<datalist id="people">.*<option value="lin@id\.example">/s);
  });
});

describe('somebody whose address was invited', () => {
  /** The tenant of a person who has invited somebody. */
  const inviter = async (who: string, guest: string) => {
    const owner = await sessionOf(who);
    await post(owner, '/dashboard/access', { email: `${guest}@id.example`, role: 'viewer' });
    return tenantOf(owner);
  };
  const plain = (html: string) => html.replaceAll(/<[^>]+>/g, '');

  test('is told once who invited them to which tenant', async () => {
    const own = tenantOf(await sessionOf('rita'));
    const theirs = await inviter('stranger', 'rita');
    const session = await sessionOf('rita');
    expect(tenantOf(session)).toBe(own);
    const first = await get(session, '/dashboard/access/keys');
    expect(plain(first.text)).toContain(
      `You are now a member of stranger (${theirs}), invited by stranger@id.example.`,
    );
    const read = bare(first.cookies[0]);
    expect((await get(`${session}; ${read}`, '/dashboard')).text).not.toContain('You are now a member');
    const back = await post(`${session}; ${read}`, '/dashboard/switch', { tenant: theirs });
    expect((await get(sessionIn(back.cookies), '/dashboard')).text).not.toContain('You are now a member');
  });

  test('leaves it from there, and stays in the tenant that is open', async () => {
    const own = tenantOf(await sessionOf('sam'));
    const theirs = await inviter('tess', 'sam');
    const session = await sessionOf('sam');
    expect((await post(session, '/dashboard/leave', { tenant: 'another' })).status).toBe(404);
    expect((await post(session, '/dashboard/leave', { tenant: theirs })).to).toBe('/dashboard?done=leftTenant');
    const { status, text } = await get(session, '/dashboard?done=leftTenant');
    expect([status, text.includes('You are now a member')]).toEqual([200, false]);
    expect((await post(session, '/dashboard/switch', { tenant: theirs })).status).toBe(404);
    expect(tenantOf(await sessionOf('sam'))).toBe(own);
  });

  test('by one tenant, and has none, starts there, and gets one of their own after leaving it', async () => {
    const theirs = await inviter('una', 'victor');
    const session = await sessionOf('victor');
    expect(tenantOf(session)).toBe(theirs);
    expect((await get(session, '/dashboard')).text).toContain('You are now a member');
    expect((await post(session, '/dashboard/leave', { tenant: theirs })).to).toBe('/dashboard/sign-in?left');
    expect(tenantOf(await sessionOf('victor'))).toMatch(/^victor-/);
  });
});

test('somebody joins by a link, too, while their own tenant is suspended', async () => {
  const owner = await sessionOf('pam');
  const { text } = await post(owner, '/dashboard/access', { email: '', role: 'viewer' });
  const path = /\/join\/[0-9a-f]{40}/.exec(text)?.[0] ?? '';
  const guest = await sessionOf('quinn');
  expect((await post(await sessionOf('root'), `/dashboard/tenants/${tenantOf(guest)}/suspend`)).status).toBe(303);
  expect((await get(guest, '/dashboard')).status).toBe(403);
  expect((await get(guest, path)).text).toContain('as viewer');
  expect(tenantOf(sessionIn((await post(guest, path)).cookies))).toBe(tenantOf(owner));
});

describe('the page of members', () => {
  test('invites by address, hands the tenant over, and removes', async () => {
    const owner = await sessionOf('mia');
    const { text } = await post(owner, '/dashboard/access', { email: 'ned@id.example', role: 'member' });
    expect(text).toContain('sign in as ned@id.example');
    const invited = await sessionOf('ned');
    expect(tenantOf(invited)).toBe(tenantOf(owner));
    const page = (await get(owner, '/dashboard/access')).text;
    const id = /action="\/dashboard\/access\/transfer".*?value="([0-9a-f-]{36})"/s.exec(page)?.[1] ?? '';
    expect((await post(owner, '/dashboard/leave')).status).toBe(400);
    expect((await post(owner, '/dashboard/access/transfer', { id })).status).toBe(303);
    expect([(await get(owner, '/dashboard/access')).status, (await get(invited, '/dashboard/access')).status]).toEqual([
      403, 200,
    ]);
    expect((await post(owner, '/dashboard/leave')).status).toBe(303);
    expect((await get(owner, '/dashboard')).status).toBe(303);
  });

  test('reminds of open links when somebody gets a lower role or is removed, and a link then lets them in no more', async () => {
    const owner = await sessionOf('olga');
    const linkOf = async () =>
      /\/join\/[0-9a-f]{40}/.exec(
        (await post(owner, '/dashboard/access', { email: '', role: 'operator' })).text,
      )?.[0] ?? '';
    const path = await linkOf();
    await post(await sessionOf('paul'), path);
    const page = async (query = '') => (await get(owner, `/dashboard/access${query}`)).text;
    const id = /action="\/dashboard\/access\/remove".*?value="([0-9a-f-]{36})"/s.exec(await page())?.[1] ?? '';
    const reminder = (text: string) => /<p class="notice">([^<.]*)\./.exec(text)?.[1] ?? null;
    const question = (text: string) => /class="question">(Remove[^<]*)/.exec(text)?.[1] ?? '';
    expect(question(await page())).toContain('One link is open.');
    expect([reminder(await page()), reminder(await page('?done=saved'))]).toEqual([null, null]);
    expect((await post(owner, '/dashboard/access/role', { id, role: 'owner' })).to).toBe(
      '/dashboard/access?done=saved',
    );
    const lowered = await post(owner, '/dashboard/access/role', { id, role: 'viewer' });
    expect(lowered.to).toBe('/dashboard/access?done=lowered');
    expect(reminder(await page('?done=lowered'))).toBe('One link is open');
    await linkOf();
    const removed = await post(owner, '/dashboard/access/remove', { id });
    expect(removed.to).toBe('/dashboard/access?done=removed');
    expect(reminder(await page('?done=removed'))).toBe('2 links are open');
    const refused = await post(await sessionOf('paul'), path);
    expect([refused.status, refused.text.includes('links do not let you in')]).toEqual([403, true]);
    for (const [, link] of (await page()).matchAll(/action="\/dashboard\/access\/revoke".*?value="([0-9a-f-]{36})"/gs))
      await post(owner, '/dashboard/access/revoke', { id: link ?? '' });
    expect(reminder(await page('?done=removed'))).toBeNull();
  });

  test('a tenant is deleted by its name only', async () => {
    const owner = await sessionOf('ole');
    const erase = (confirm: string) => post(owner, '/dashboard/settings/delete-tenant', { confirm });
    expect((await erase('something')).status).toBe(400);
    expect((await erase(tenantOf(owner))).status).toBe(303);
    expect((await get(owner, '/dashboard')).status).toBe(303);
    expect(tenantOf(await sessionOf('ole'))).not.toBe(tenantOf(owner));
  });
});
