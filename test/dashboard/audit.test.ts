/**
 * The pages of the audit trail (docs/specification.md#audit-trail).
 */
import { describe, expect, test } from 'vitest';
import { whatWasDone } from '../../src/dashboard/words/auditSentences.ts';
import { auditPage } from '../../src/store/audit.ts';
import { createInvitation, deleteInvitation } from '../../src/store/invitations.ts';
import { holdfast, own, store, useAdministration, user } from '../support/administration.ts';
import { ask } from '../support/ask.ts';
import { BY, type Session, signIn } from '../support/tenancy.ts';

useAdministration();

const open = async ({ cookie }: Session, path: string) => {
  const response = await fetch(`${holdfast.url}/dashboard${path}`, { headers: { Cookie: cookie } });
  return { status: response.status, text: (await response.text()).replaceAll(/(?:<[^>]+>)+/g, '|') };
};

describe('the page of the audit trail', () => {
  test('says in sentences who did what, filtered, and leads to the CSV', async () => {
    await user.request(holdfast.url, 'POST', '/api/v1/Tenant/keys', { label: 'worker' });
    await holdfast.request(
      'POST',
      '/api/v1/Resource/register',
      [1, 2, 3, 4, 5].map((i) => ({ name: `r${i}` })),
      {
        'X-Api-Key': own.key,
      },
    );
    const all = await open(user, '/activity/changes');
    expect(all.text).toContain('|You|created the key worker|permission: full|');
    expect(all.text).toContain('|a key without a label|registered r1, r2, r3 and 2 more|');
    expect(all.text).toContain('All of it as CSV');
    const found = await open(user, '/activity/changes?who=somebody@id.example&action=key.create');
    expect(found.text).toContain('created the key worker');
    expect(found.text).not.toContain('registered r1');
    expect((await open(user, '/activity/changes?to=2020-01-01')).text).toContain('Nothing was found.');
  });

  test('a history that ends before it begins says so', async () => {
    const { text } = await open(user, '/activity?from=2026-01-02T10:00&to=2026-01-01T10:00');
    expect(text).toContain('“From” is later than “To”');
  });

  test('says of settings and sizes what they were and are, and nothing of those that stay', async () => {
    const change = { requireNote: true, maxTtlSeconds: 3600, holdersReport: true };
    await user.request(holdfast.url, 'PUT', '/api/v1/Tenant/settings', change);
    for (const capacity of [2, 3, 3])
      await holdfast.request('POST', '/api/v1/Resource/register', [{ name: 'gpu', capacity }], {
        'X-Api-Key': own.key,
      });
    const { text } = await open(user, '/activity/changes');
    expect(text).toContain('|changed the settings|reservations must have a note: no → yes, longest lease: none → 1 h|');
    expect(text.match(/(registered|changed) gpu\|[^|]*\|/g)).toEqual([
      'registered gpu|127.0.0.1|',
      'changed gpu|gpu: 2 → 3 slots|',
      'registered gpu|127.0.0.1|',
    ]);
    await user.request(holdfast.url, 'PUT', '/api/v1/Tenant/settings', { requireNote: false, maxTtlSeconds: null });
  });

  test('is led to by the settings, which say how many waits a change has ended', async () => {
    const send = (path: string, fields: Record<string, string>) =>
      ask(`${holdfast.url}/dashboard${path}`, {
        method: 'POST',
        headers: { Cookie: user.cookie, Origin: holdfast.url },
        body: new URLSearchParams(fields),
      });
    const held = [{ resource: 'lamp', requester: 'ci', ttlSeconds: 600 }];
    await holdfast.request('POST', '/api/v1/Reservation/reserve', held, { 'X-Api-Key': own.key });
    expect((await send('/reserve', { resource: 'lamp', act: 'wait', lease: '1800' })).to).toContain('done=waiting');
    expect((await open(user, '/settings')).text).toContain('lose their place: 1 now|');
    expect((await send('/settings', { maxTtlSeconds: '30m' })).to).toBe('/dashboard/settings?done=saved');
    const saved = await send('/settings', { maxTtlSeconds: '29m' });
    expect(saved.to).toBe('/dashboard/settings?done=savedEnded&count=1');
    const { text } = await open(user, '/settings?done=savedEnded&count=1');
    expect(text).toContain('1 of those who waited lost their place');
    expect(text).toContain('|Who changed what|');
    await send('/settings', { maxTtlSeconds: '' });
  });

  test('has words for what was chosen and for times, and no ids', () => {
    const nothing = { TURN: [], BEGINS: [], ENDS_SOON: [], WANTED: [], TAKEN: [] };
    const restOf = (action: string, details: object) => whatWasDone({ action, details }).rest;
    expect(restOf('notices.choose', { ...nothing, TURN: ['email', 'push'] })).toEqual(['It is my turn: email, push']);
    expect(restOf('notices.choose', nothing)).toEqual(['nothing']);
    expect(restOf('member.join', { userId: '79bea669', role: 'member', by: 'group' })).toEqual(['by: group']);
    const expiresAt = '2026-12-11T16:59:23.246Z';
    expect(restOf('invitation.create', { id: '9d6d', email: 'a@b.example', role: 'viewer', expiresAt })).toEqual([
      'expires: 2026-12-11 16:59 UTC',
    ]);
    const { sentence, rest } = whatWasDone({ action: 'key.show', details: { id: 'a681388b', label: null } });
    expect([sentence, rest]).toEqual(['was shown the key without a label', []]);
  });

  test('says whom a key was shown, once for each person and value', async () => {
    const made = await user.request<{ id: string }>(holdfast.url, 'POST', '/api/v1/Tenant/keys', { label: 'shown' });
    const { id } = made.body;
    const ann = await signIn(store.redis, own.tenant, { email: 'ann@id.example' });
    const shownTo = async () => {
      const page = await auditPage(store.database, { tenant: own.tenant, action: 'key.show' }, undefined, 10);
      return page.filter(({ details }) => JSON.stringify(details).includes(id)).map(({ actor }) => actor);
    };
    for (const person of [user, ann, ann])
      expect((await open(person, `/access/keys?show=${id}`)).text).toContain(`hf_${own.tenant}_`);
    expect(await shownTo()).toEqual(['person:ann@id.example']);
    await user.request(holdfast.url, 'POST', `/api/v1/Tenant/keys/${id}/rotate`);
    for (const person of [user, ann, ann]) await open(person, `/access/keys?show=${id}`);
    expect(await shownTo()).toEqual(['person:ann@id.example', 'person:ann@id.example']);
    expect((await open(user, '/activity/changes?action=key.show')).text).toContain(
      '|ann@id.example|was shown the key shown|',
    );
  });

  test('names nobody for a visit of the overview, which sends the default key only if it is asked for', async () => {
    const eve = await signIn(store.redis, own.tenant, { email: 'eve@id.example' });
    const shownTo = async () =>
      (await auditPage(store.database, { tenant: own.tenant, action: 'key.show' }, undefined, 10)).map(
        ({ actor }) => actor,
      );
    expect((await open(eve, '/overview')).text).not.toContain(`hf_${own.tenant}_`);
    expect(await shownTo()).not.toContain('person:eve@id.example');
    expect((await open(eve, '/overview?show')).text).toContain(`hf_${own.tenant}_`);
    expect(await shownTo()).toContain('person:eve@id.example');
  });

  test('says of an invitation whom it is for, and of a link that it is one', async () => {
    for (const of of [{ email: 'zoe@id.example' }, { digest: 'd'.repeat(64) }]) {
      const made = { id: undefined, role: 'member', of, expiresInDays: 1 } as const;
      const { row } = await createInvitation(store, own.tenant, made, BY);
      await deleteInvitation(store, own.tenant, row.id, BY);
    }
    const { text } = await open(user, '/activity/changes');
    for (const sentence of [
      'invited zoe@id.example as member',
      'revoked the invitation of zoe@id.example',
      'created an invitation link for the role member',
      'revoked an invitation link for the role member',
    ])
      expect(text).toContain(`|${sentence}|`);
    expect(text).not.toContain('email: null');
  });

  test('is for operators and owners, in the navigation, too', async () => {
    for (const [role, status] of [
      ['member', 403],
      ['operator', 200],
    ] as const) {
      const session = await signIn(store.redis, own.tenant, { role });
      expect((await open(session, '/activity/changes')).status).toBe(status);
      expect((await open(session, '')).text.includes('|Changes|')).toBe(status === 200);
    }
  });

  test('of all tenants is for administrators', async () => {
    expect((await open(user, '/tenants/audit')).status).toBe(403);
    const admin = await signIn(store.redis, own.tenant, { email: 'root@id.example' });
    expect((await open(admin, `/tenants/audit?action=tenant.create&tenant=${own.tenant}`)).text).toContain(own.tenant);
    expect((await open(admin, `/tenants/${own.tenant}`)).text).toContain('created the tenant');
  });
});
