/**
 * Wallboards: links that show the Board without a session, until somebody revokes them
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { service, sessionOf, tenantOf, useSigningIn } from '../support/signingIn.ts';
import { signIn } from '../support/tenancy.ts';

useSigningIn();

const PAGE = '/dashboard/access/wallboards';
const send = (cookie: string, path: string, form?: Record<string, string>) =>
  ask(service.one.url + path, {
    headers: { Cookie: cookie, Origin: service.one.url },
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  });
const see = (path: string, at = service.one) => ask(at.url + path, {});

/** Makes a link as an operator of a new tenant. */
async function newLink(who: string) {
  const owner = await sessionOf(who);
  const tenant = tenantOf(owner);
  const { cookie } = await signIn(service.one.redis, tenant, { role: 'operator' });
  await send(owner, '/dashboard/resources', { name: `rig-of-${who}`, treePath: '', capacity: '1', labels: '' });
  const made = await send(cookie, PAGE, { label: 'hall' });
  const [, path = ''] = /(\/dashboard\/tv\/[0-9a-f]{40})</.exec(made.text) ?? [];
  return { owner, cookie, tenant, made, path };
}

describe('the link of a wallboard', () => {
  test('is shown once, and shows the Board on each instance, with nothing to press', async () => {
    const { cookie, made, path } = await newLink('tia');
    expect([made.status, path]).toEqual([200, expect.stringContaining('/dashboard/tv/')]);
    expect((await send(cookie, PAGE)).text).not.toContain(path);
    for (const at of [service.one, service.other]) {
      const { status, text } = await see(path, at);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<button|<form|<a |yours/);
      expect(text).toMatch(
        /<h1>[^<]+<\/h1><span class="meta">hall<\/span><span class="end"><time [^>]+>\d\d:\d\d UTC</,
      );
    }
  });

  test('shows only what has the label that was chosen', async () => {
    const { cookie } = await newLink('tim');
    const { text } = await send(cookie, PAGE, { label: 'yard', only: 'site=berlin' });
    const [, path = ''] = /(\/dashboard\/tv\/[0-9a-f]{40}\?label=site%3Dberlin)</.exec(text) ?? [];
    expect((await see(path)).text).not.toContain('rig-of-tim');
  });

  test('opens nothing else', async () => {
    const { tenant, path } = await newLink('tom');
    const token = path.split('/').at(-1) ?? '';
    for (const cookie of [`holdfast_session=${token}`, `holdfast_session=hfs_${tenant}_${token}`])
      expect((await send(cookie, '/dashboard')).status).toBe(303);
    for (const credential of [token, `hf_${tenant}_${token}`, `hfm_${tenant}_${token}`]) {
      const headers = { Authorization: `Bearer ${credential}`, 'X-API-Key': credential };
      expect((await ask(`${service.one.url}/api/v1/Resource/definitions`, { headers })).status).toBe(401);
    }
    const { text } = await see(path);
    expect(text).not.toMatch(/hfs?_/);
  });

  test('ends with its streams as soon as somebody revokes it, and the audit trail has both', async () => {
    const { owner, cookie, path } = await newLink('uma');
    const stream = await fetch(`${service.other.url}${path}/events`);
    const reader = stream.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(': open');
    const [, id = ''] = /name="id" value="([^"]+)"/.exec((await send(cookie, PAGE)).text) ?? [];
    expect((await send(cookie, `${PAGE}/delete`, { id })).to).toBe(`${PAGE}?done=revoked`);
    while (!(await reader?.read())?.done);
    for (const at of [service.one, service.other]) expect((await see(path, at)).status).toBe(404);
    expect((await see(`${path}/events`)).status).toBe(404);
    const { text } = await send(owner, '/dashboard/activity/changes');
    expect(text).toContain('made the link of the wallboard hall');
    expect(text).toContain('revoked the link of the wallboard hall');
  });

  test('is made by operators and owners', async () => {
    const tenant = tenantOf(await sessionOf('vera'));
    for (const role of ['viewer', 'member'] as const) {
      const { cookie } = await signIn(service.one.redis, tenant, { role });
      expect((await send(cookie, PAGE, { label: 'x' })).status).toBe(403);
    }
  });

  test('shows nothing of a tenant that is suspended', async () => {
    const { tenant, path } = await newLink('walt');
    expect((await send(await sessionOf('root'), `/dashboard/tenants/${tenant}/suspend`, {})).status).toBe(303);
    expect((await see(path)).status).toBe(403);
  });
});
