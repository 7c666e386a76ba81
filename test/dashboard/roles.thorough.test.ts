/**
 * What each role sees and may do in the dashboard (docs/specification.md#rights).
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { RIGHTS_OF_ROLE, type Right, ROLES } from '../../src/domain/rights.ts';
import { ask } from '../support/ask.ts';
import { service, sessionOf, tenantOf, useSigningIn } from '../support/signingIn.ts';
import { signIn } from '../support/tenancy.ts';

useSigningIn();

const PAGES: readonly (readonly [string, Right])[] = [
  ['', 'read'],
  ['/overview', 'read'],
  ['/insight', 'read'],
  ['/activity/live', 'read'],
  ['/resources', 'definitions'],
  ['/mine/notices', 'read'],
  ['/activity', 'read'],
  ['/access/keys', 'keys'],
  ['/access/tokens', 'tokens'],
  ['/access', 'members'],
  ['/notices', 'settings'],
  ['/settings', 'settings'],
  ['/activity/changes', 'audit'],
];

const TOOL = { name: 'tool', capacity: '1', blocks: '', treePath: '', labels: '' };

/** A member, key or invitation that there is not. */
const NOBODY = { id: '3c1f4b52-8a8e-4f2f-9a7c-9b110d9b4f4e', role: 'viewer' };

/** Forms that change something, and the right that each takes. */
const FORMS: readonly (readonly [string, Right, Record<string, string>])[] = [
  ['/reserve', 'reserve', { resource: 'gadget', lease: '1800' }],
  ['/undo', 'reserve', { resource: 'gadget' }],
  ['/demo/try', 'define', { example: 'phone' }],
  ['/demo/remove', 'define', {}],
  ['/claim', 'reserve', { resource: 'gadget' }],
  ['/resources', 'define', TOOL],
  ['/resources/one/delete', 'define', { name: 'tool' }],
  ['/reservations/reset', 'reset', {}],
  ['/reservations/selected', 'reserve', { one: '["tool","ci"]' }],
  ['/reservations/release', 'reserve', { one: '["tool","ci"]' }],
  ['/access/keys', 'keys', { label: 'x' }],
  ['/access/tokens', 'tokens', { label: 'x' }],
  ['/access/keys/change', 'keys', { ...NOBODY, label: 'x' }],
  ['/access/keys/rotate', 'keys', NOBODY],
  ['/access/keys/delete', 'keys', NOBODY],
  ['/access', 'members', { email: 'no address', role: 'viewer' }],
  ['/access/role', 'members', NOBODY],
  ['/access/remove', 'members', NOBODY],
  ['/access/transfer', 'members', NOBODY],
  ['/access/revoke', 'members', NOBODY],
  ['/access/group/delete', 'members', { group: 'lab' }],
  ['/mine/notices', 'read', {}],
  ['/notices', 'settings', { id: NOBODY.id, kind: 'webhook', label: '', prefix: '' }],
  ['/notices/one', 'settings', { id: NOBODY.id, kind: 'webhook', label: '', prefix: '' }],
  ['/notices/one/rotate', 'settings', NOBODY],
  ['/notices/one/test', 'settings', NOBODY],
  ['/notices/one/delete', 'settings', NOBODY],
  ['/notices/slack', 'settings', { botToken: '', signingSecret: '' }],
  ['/notices/slack/delete', 'settings', {}],
  ['/settings', 'settings', {}],
  ['/settings/delete-tenant', 'tenant', { confirm: 'another' }],
];

/** What a page has for those with a right only. */
const PARTS: readonly (readonly [string, string, Right])[] = [
  ['/resources', 'href="/dashboard/resources/register', 'define'],
  ['/resources/one?name=tool', 'Edit or delete', 'define'],
  ['?view=table', 'Release everything', 'reset'],
];

let owner = '';
beforeAll(async () => {
  owner = await sessionOf('owner-of-roles');
});

async function registerAndReserve(): Promise<void> {
  await ask(`${service.one.url}/dashboard/resources`, {
    headers: { Cookie: owner, Origin: service.one.url },
    method: 'POST',
    body: new URLSearchParams(TOOL),
  });
  await ask(`${service.one.url}/api/v1/Reservation/reserve`, {
    headers: { Cookie: owner, Origin: service.one.url, 'Content-Type': 'application/json' },
    method: 'POST',
    body: JSON.stringify([{ resource: 'desk', requester: 'ci' }]),
  });
}

describe.each(ROLES)('the role %s', (role) => {
  const may = (right: Right) => RIGHTS_OF_ROLE[role].includes(right);
  const visit = async (path: string, form?: Record<string, string>) => {
    const { cookie } = await signIn(service.one.redis, tenantOf(owner), { role });
    return ask(`${service.one.url}/dashboard${path}`, {
      headers: { Cookie: cookie, Origin: service.one.url },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
  };

  test('sees the pages that it has the right for, and links to no others', async () => {
    const { text } = await visit('');
    for (const [path, right] of PAGES) {
      const { status } = await visit(path);
      expect([path, status]).toEqual([path, may(right) ? 200 : 403]);
      if (path !== '') expect([path, text.includes(`href="/dashboard${path}"`)]).toEqual([path, may(right)]);
    }
  });

  test('is refused the forms that it has no right for', async () => {
    await registerAndReserve();
    for (const [path, right, form] of FORMS) {
      const { status } = await visit(path, form);
      expect([path, status === 403]).toEqual([path, !may(right)]);
    }
  });

  test('may leave', async () => {
    // The person who is signed in is no member: a 403 would be about the right.
    expect((await visit('/leave', {})).status).toBe(404);
  });

  test('is not shown what it may not use', async () => {
    await registerAndReserve();
    for (const [path, part, right] of PARTS)
      expect([path, (await visit(path)).text.includes(part)]).toEqual([path, may(right)]);
  });
});
