/**
 * Links of invitations after somebody was removed or got a lower role (docs/specification.md#members).
 */
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/domain/rights.ts';
import { auditPage } from '../../src/store/audit.ts';
import { putGroup } from '../../src/store/groupRoles.ts';
import { lock } from '../../src/store/members.ts';
import { members } from '../../src/store/schema.ts';
import { recordSignIn } from '../../src/store/signIns.ts';
import { ask } from '../support/ask.ts';
import { bearer, makeToken, TOKENS } from '../support/managementTokens.ts';
import { BY, member, type Person, type Session, signIn, somebodyWaits, team } from '../support/tenancy.ts';
import { one, other, store, useTwoInstances } from '../support/twoInstances.ts';
import { until } from '../support/until.ts';

const TENANT = '/api/v1/Tenant';
useTwoInstances();

interface Made {
  readonly id: string;
  readonly link: string | null;
}

/** Makes a link, unless an address is given. */
const invite = (by: Session, role: Role = 'operator', email?: string) =>
  by.request<Made>(one.url, 'POST', `${TENANT}/invitations`, { role, email });
const pathOf = ({ body }: { readonly body: Made }) => new URL(body.link ?? '').pathname;
const makeLink = async (by: Session, role?: Role) => pathOf(await invite(by, role));
const put = (by: Session, id: string, role: Role) =>
  by.request<{ role: Role }>(other.url, 'PUT', `${TENANT}/members/${id}`, { role });
const remove = (by: Session, id: string) => by.request(other.url, 'DELETE', `${TENANT}/members/${id}`);
const openOnes = async (by: Session) =>
  (await by.request<{ invitations: Made[] }>(one.url, 'GET', `${TENANT}/invitations`)).body.invitations.length;

/** Somebody with a tenant of their own, where they follow links. */
const guest = async (): Promise<Person> => (await team()).owner;
/** Follows a link. @returns the status */
const follow = async ({ cookie }: Session, path: string) =>
  (await ask(`${one.url}${path}`, { method: 'POST', headers: { Cookie: cookie, Origin: one.url } })).status;
/** Follows a link from one's own tenant, of which a session begins anew. */
const join = async (who: Person, path: string) => follow(await who.begin(), path);
const roleIn = async (owner: Session, { id }: Person) =>
  (await owner.request<{ role?: Role }>(one.url, 'GET', `${TENANT}/members/${id}`)).body.role ?? null;
const leave = async (tenant: string, { known }: Person) => {
  const session = await signIn(store.redis, tenant, { ...known, role: 'viewer' });
  return (await session.request(one.url, 'DELETE', `${TENANT}/members/me`)).status;
};

describe('a link gives nothing to somebody', () => {
  test('who got a lower role, and has left since', async () => {
    const { tenant, owner } = await team();
    const [dan, path] = [await guest(), await makeLink(owner)];
    expect([await join(dan, path), await roleIn(owner, dan)]).toEqual([303, 'operator']);
    await put(owner, dan.id, 'viewer');
    expect(await leave(tenant, dan)).toBe(200);
    expect([await join(dan, path), await join(dan, await makeLink(owner))]).toEqual([403, 403]);
    expect(await roleIn(owner, dan)).toBeNull();
  });

  test('who was removed, whether they had used it or not, and other people still join by it', async () => {
    const { tenant, owner } = await team();
    const path = await makeLink(owner, 'viewer');
    const [dan, eve] = [await guest(), await guest()];
    await join(dan, path);
    await remove(owner, dan.id);
    expect(await join(dan, path)).toBe(403);
    expect([await join(eve, path), await roleIn(owner, eve)]).toEqual([303, 'viewer']);
    expect([await leave(tenant, eve), await join(eve, path)]).toEqual([200, 303]);
    const invited = await member(tenant, 'operator');
    await remove(owner, invited.id);
    const elsewhere = await signIn(store.redis, (await team()).tenant, { ...invited.known, role: 'owner' });
    expect(await follow(elsewhere, path)).toBe(403);
  });

  test('even after a higher role: what they lost once, only an owner gives back', async () => {
    const { tenant, owner } = await team();
    const [dan, path] = [await guest(), await makeLink(owner)];
    await join(dan, path);
    await put(owner, dan.id, 'viewer');
    await put(owner, dan.id, 'member');
    await leave(tenant, dan);
    expect(await join(dan, path)).toBe(403);
    expect(await put(owner, dan.id, 'member')).toMatchObject({ status: 200, body: { role: 'member' } });
    expect(await roleIn(owner, dan)).toBe('member');
    const [entry] = await auditPage(store.database, { tenant, action: 'member.join' }, undefined, 1);
    expect(entry).toMatchObject({ actor: `person:${owner.known.email}`, details: { userId: dan.id, role: 'member' } });
  });

  test('who is a member already: their role stays as it is', async () => {
    const { tenant, owner } = await team();
    const [ann, dan] = [await member(tenant, 'viewer'), await guest()];
    const elsewhere = await signIn(store.redis, (await team()).tenant, { ...ann.known, role: 'owner' });
    await join(dan, await makeLink(owner, 'member'));
    const path = await makeLink(owner, 'operator');
    expect([await follow(elsewhere, path), await join(dan, path)]).toEqual([303, 303]);
    expect([await roleIn(owner, ann), await roleIn(owner, dan)]).toEqual(['viewer', 'member']);
  });

  test('but an invitation of their address does', async () => {
    const { tenant, owner } = await team();
    const dan = await member(tenant, 'operator');
    await remove(owner, dan.id);
    expect((await invite(owner, 'viewer', dan.known.email ?? '')).status).toBe(201);
    await recordSignIn(store, dan.known, '127.0.0.1', () => Promise.reject(new Error('a tenant')));
    expect(await roleIn(owner, dan)).toBe('viewer');
  });

  test('and nobody is taken back who was no member: 404', async () => {
    const { owner } = await team();
    const stranger = await guest();
    expect((await put(owner, stranger.id, 'viewer')).status).toBe(404);
  });
});

describe('an invitation is revoked', () => {
  /** Makes a link and invites an address; gives the path of the link. */
  const inviting = async (by: Session, email: string) => {
    expect((await invite(by, 'owner', email)).status).toBe(201);
    return makeLink(by);
  };

  test.each([
    ['gets a lower role', (owner: Person, second: Person) => put(owner, second.id, 'operator')],
    ['is removed', (owner: Person, second: Person) => remove(owner, second.id)],
    ['leaves', (_: Person, second: Person) => second.request(one.url, 'DELETE', `${TENANT}/members/me`)],
  ])('when the owner who made it %s', async (_, lose) => {
    const { tenant, owner } = await team();
    const second = await member(tenant, 'owner');
    const path = await inviting(second, 'accomplice@id.example');
    const kept = await makeLink(owner, 'viewer');
    expect((await lose(owner, second)).status).toBe(200);
    expect([await join(await guest(), path), await join(await guest(), kept)]).toEqual([404, 303]);
    expect(await openOnes(owner)).toBe(1);
    const entries = await auditPage(store.database, { tenant, action: 'invitation.delete' }, undefined, 10);
    expect(entries.map(({ details }) => JSON.parse(JSON.stringify(details)).email).sort()).toEqual([
      'accomplice@id.example',
      null,
    ]);
  });

  test('when no group makes the one an owner any more who made it', async () => {
    const { tenant, owner } = await team();
    await putGroup(store, tenant, tenant, 'owner', true, BY);
    const { known } = await guest();
    const enter = (groups: string[]) =>
      recordSignIn(store, { ...known, groups }, '127.0.0.1', () => Promise.reject(new Error('a tenant')));
    await enter([tenant]);
    const path = await makeLink(await signIn(store.redis, tenant, { ...known, role: 'owner' }));
    await enter([tenant]);
    expect(await join(await guest(), path)).toBe(303);
    await enter([]);
    expect([await join(await guest(), path), await openOnes(owner)]).toEqual([404, 0]);
  });

  test('when the management token is deleted that made it', async () => {
    const { owner } = await team();
    const { id, token } = await makeToken(owner, one, ['members']);
    const path = pathOf(await one.request<Made>('POST', `${TENANT}/invitations`, { role: 'member' }, bearer(token)));
    expect(await join(await guest(), path)).toBe(303);
    expect((await owner.request(other.url, 'DELETE', `${TOKENS}/${id}`)).status).toBe(200);
    expect([await join(await guest(), path), await openOnes(owner)]).toEqual([404, 0]);
  });

  test('or not made, if its maker gets a lower role meanwhile: 403', async () => {
    const { tenant, owner } = await team();
    const second = await member(tenant, 'owner');
    const asked = await store.database.transaction(async (tx) => {
      await lock(tx, tenant);
      const answer = invite(second);
      await until('the call waits', () => somebodyWaits(store.database));
      await tx.update(members).set({ role: 'operator' }).where(eq(members.userId, second.id));
      return { answer };
    });
    expect((await asked.answer).status).toBe(403);
    expect(await openOnes(owner)).toBe(0);
  });
});
