/**
 * Members of a tenant by the API (docs/specification.md#members), at two instances on one database.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/domain/rights.ts';
import { Sealer } from '../../src/identity/credentials.ts';
import { membershipsInDatabase } from '../../src/operations/members.ts';
import { auditPage } from '../../src/store/audit.ts';
import { invitations } from '../../src/store/schema.ts';
import type { Instance } from '../support/service.ts';
import { KEY_SECRET, member, type Person, type Session, signIn, team } from '../support/tenancy.ts';
import { one, other, store, useTwoInstances } from '../support/twoInstances.ts';

const TENANT = '/api/v1/Tenant';
useTwoInstances();

const put = (by: Session, id: string, role: Role, at = one) =>
  by.request<{ role: Role }>(at.url, 'PUT', `${TENANT}/members/${id}`, { role });
const remove = (by: Session, id: string, at = one) => by.request(at.url, 'DELETE', `${TENANT}/members/${id}`);
const leave = (who: Session) => who.request<{ removed: string }>(one.url, 'DELETE', `${TENANT}/members/me`);
const membershipsNow = () => membershipsInDatabase({ engine: store, store, sealer: new Sealer(KEY_SECRET) });
/** Reserves with a session, in the person's own name. Returns the status and the answer. */
const use = async (who: Session & Partial<Pick<Person, 'known'>>, at = other) =>
  (
    await who.request(at.url, 'POST', '/api/v1/Reservation/reserve', [
      { resource: randomUUID(), requester: who.known?.email ?? 'somebody', ttlSeconds: 60 },
    ])
  ).status;

/** Opens the stream of events of a session; resolves `ended` when it has ended. */
async function listen({ cookie }: Session, { url }: Instance) {
  const { status, body } = await fetch(`${url}/api/v1/events`, { headers: { Cookie: cookie } });
  const ended = new Response(body).text().then(() => 'ended');
  return { status, ended };
}

describe('a list of members', () => {
  test('has pages by id, each with roles and times', async () => {
    const { tenant, owner } = await team();
    const viewer = await member(tenant, 'viewer');
    const ids = [owner.id, viewer.id].sort();
    const list = async (query: string) =>
      (
        await owner.request<{ members: { id: string }[]; next: string | null }>(
          one.url,
          'GET',
          `${TENANT}/members${query}`,
        )
      ).body;
    const first = await list('?limit=1');
    expect([first.members.map(({ id }) => id), first.next]).toEqual([[ids[0]], ids[0]]);
    expect((await list(`?after=${ids[0]}`)).members.map(({ id }) => id)).toEqual([ids[1]]);
    const { body } = await owner.request(one.url, 'GET', `${TENANT}/members/${viewer.id}`);
    expect(body).toMatchObject({ id: viewer.id, role: 'viewer', givenRole: 'viewer', groupRole: null });
  });

  test('and changes of it are for owners; another tenant’s members are unknown', async () => {
    const { tenant, owner } = await team();
    const operator = await member(tenant, 'operator');
    const stranger = (await team()).owner;
    expect((await operator.request(one.url, 'GET', `${TENANT}/members`)).status).toBe(403);
    expect([(await put(operator, operator.id, 'owner')).status, (await remove(operator, owner.id)).status]).toEqual([
      403, 403,
    ]);
    expect([(await put(stranger, operator.id, 'viewer')).status, (await remove(stranger, operator.id)).status]).toEqual(
      [404, 404],
    );
    expect(await use(operator)).toBe(200);
  });
});

describe('a removed member', () => {
  test('has no session and no stream left on any instance when the call is answered', async () => {
    const { tenant, owner } = await team();
    const gone = await member(tenant, 'operator');
    const second = await gone.begin();
    const streams = await Promise.all([listen(gone, one), listen(second, other)]);
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    expect(await remove(owner, gone.id)).toMatchObject({ status: 200, body: { removed: gone.id } });
    expect(await Promise.all([use(gone), use(second, one)])).toEqual([401, 401]);
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(['ended', 'ended']);
    expect((await remove(owner, gone.id)).status).toBe(404);
    const [entry] = await auditPage(store.database, { tenant: tenant }, undefined, 1);
    expect(entry).toMatchObject({ action: 'member.remove', details: { member: gone.known.email } });
    expect(entry?.address).not.toBeNull();
  });

  test('who uses their session meanwhile on another instance is stopped by the time of the answer', async () => {
    const { tenant, owner } = await team();
    const gone = await member(tenant, 'member');
    let isAnswered = false;
    const uses = (async () => {
      for (;;) {
        const isLate = isAnswered;
        const status = await use(gone);
        if (isLate) return status;
        expect([200, 401]).toContain(status);
      }
    })();
    await remove(owner, gone.id);
    isAnswered = true;
    expect(await uses).toBe(401);
  });

  test('who signs in meanwhile gets no session that lasts', async () => {
    const { tenant, owner } = await team();
    const memberships = membershipsNow();
    for (let round = 0; round < 5; round++) {
      const gone = await member(tenant, 'member');
      // The membership has been read: what follows is what a sign-in does.
      const late = gone.begin().then(async (session) => {
        await memberships.settle(gone.known, tenant);
        return session;
      });
      const [session] = await Promise.all([late, remove(owner, gone.id)]);
      expect(await use(session)).toBe(401);
    }
  });

  test('between the steps of a sign-in ends its session', async () => {
    const { tenant, owner } = await team();
    const gone = await member(tenant, 'operator');
    let writes = 0;
    const redis = new Proxy(store.redis, {
      get: (client, name) => {
        const value: unknown = Reflect.get(client, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if ((name === 'set' || name === 'sadd') && ++writes === 2) await remove(owner, gone.id);
          return Reflect.apply(value, client, args);
        };
      },
    });
    const session = await signIn(redis, tenant, { ...gone.known, role: 'operator' });
    await membershipsNow().settle(gone.known, tenant);
    expect([writes, await use(session)]).toEqual([2, 401]);
  });
});

describe('a changed role', () => {
  test('holds on every instance when the call is answered, and for sessions that began before', async () => {
    const { tenant, owner } = await team();
    const changed = await member(tenant, 'member');
    expect(await put(owner, changed.id, 'viewer')).toMatchObject({ status: 200, body: { role: 'viewer' } });
    expect(await use(changed)).toBe(403);
    await put(owner, changed.id, 'operator', other);
    expect(await use(changed, one)).toBe(200);
  });

  test('leaves a session its end, and revives none', async () => {
    const { tenant, owner } = await team();
    const changed = await member(tenant, 'member');
    const sessions = await store.redis.keys(`{${tenant}}:session:*`);
    await put(owner, changed.id, 'viewer');
    for (const session of sessions) expect(await store.redis.pttl(session)).toBeGreaterThan(0);
    await store.redis.del(sessions);
    await put(await member(tenant, 'owner'), changed.id, 'operator');
    expect(await use(changed)).toBe(401);
  });

  test('that two owners give at once is the same for sessions as in the list', async () => {
    const { tenant, owner } = await team();
    const changed = await member(tenant, 'member');
    for (let round = 0; round < 5; round++) {
      await Promise.all([put(owner, changed.id, 'viewer', one), put(owner, changed.id, 'member', other)]);
      const { body } = await owner.request<{ role: Role }>(one.url, 'GET', `${TENANT}/members/${changed.id}`);
      expect(await use(changed)).toBe(body.role === 'viewer' ? 403 : 200);
    }
  });
});

describe('the last owner', () => {
  test('cannot leave, be removed or get a lower role', async () => {
    const { tenant, owner } = await team();
    await member(tenant, 'operator');
    const answers = [await leave(owner), await remove(owner, owner.id), await put(owner, owner.id, 'operator')];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect((await owner.request(one.url, 'GET', `${TENANT}/members`)).status).toBe(200);
  });

  test('stays, whatever two owners do to each other at once', async () => {
    for (let round = 0; round < 3; round++) {
      const { tenant, owner } = await team();
      const second = await member(tenant, 'owner');
      const answers = await Promise.all([remove(owner, second.id, one), put(second, owner.id, 'viewer', other)]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    }
    const { tenant, owner } = await team();
    const second = await member(tenant, 'owner');
    const answers = await Promise.all([leave(owner), leave(second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test('may leave after making another one', async () => {
    const { tenant, owner } = await team();
    const next = await member(tenant, 'viewer');
    await put(owner, next.id, 'owner');
    expect(await leave(owner)).toMatchObject({ status: 200, body: { removed: owner.id } });
    expect([await use(owner), await use(next)]).toEqual([401, 200]);
  });
});

describe('an invitation', () => {
  const invite = (by: Session, body: unknown) =>
    by.request<{ id: string; link: string | null }>(one.url, 'POST', `${TENANT}/invitations`, body);

  test('is made once for an id, listed, read and revoked', async () => {
    const { owner } = await team();
    const id = randomUUID();
    const first = await invite(owner, { id, email: 'Eve@id.example', role: 'member' });
    expect(first).toMatchObject({ status: 201, body: { id, email: 'eve@id.example', link: null } });
    expect((await invite(owner, { id, email: 'eve@id.example', role: 'member' })).status).toBe(200);
    expect((await invite(owner, { id, email: 'eve@id.example', role: 'owner' })).status).toBe(400);
    expect((await invite((await team()).owner, { id, email: 'eve@id.example', role: 'member' })).status).toBe(400);
    const list = await owner.request(one.url, 'GET', `${TENANT}/invitations`);
    expect(list.body).toMatchObject({ invitations: [{ id, role: 'member' }], next: null });
    const at = `${TENANT}/invitations/${id}`;
    const answers = [
      await owner.request(one.url, 'GET', at),
      await owner.request(one.url, 'DELETE', at),
      await owner.request(one.url, 'GET', at),
      await owner.request(one.url, 'DELETE', at),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404]);
  });

  test('by a link shows it once, and never makes an owner', async () => {
    const { owner } = await team();
    const id = randomUUID();
    const { status, body } = await invite(owner, { id, role: 'member' });
    expect([status, body.link]).toEqual([201, expect.stringMatching(/\/join\/[0-9a-f]{40}$/)]);
    expect((await invite(owner, { id, role: 'member' })).body.link).toBeNull();
    expect((await invite(owner, { role: 'owner' })).status).toBe(400);
  });

  test('is one of at most 1,000 that are open: 400 for another one until one is revoked or expires', async () => {
    const { tenant, owner } = await team();
    const given = { tenantId: tenant, role: 'member', createdBy: 'person:ann@id.example' } as const;
    const open = (i: number, ms: number) => ({
      ...given,
      email: `${i}@id.example`,
      expiresAt: new Date(Date.now() + ms),
    });
    const many = [open(0, -1), ...Array.from({ length: 999 }, (_, i) => open(i + 1, 600_000))];
    await store.database.run((db) => db.insert(invitations).values(many));
    const { status, body } = await invite(owner, { role: 'member' });
    expect(status).toBe(201);
    const refused = { status: 400, body: expect.stringContaining('At most 1000 invitations can be open') };
    expect(await invite(owner, { role: 'member' })).toMatchObject(refused);
    expect(await invite(owner, { email: 'eve@id.example', role: 'member' })).toMatchObject(refused);
    await owner.request(other.url, 'DELETE', `${TENANT}/invitations/${body.id}`);
    expect((await invite(owner, { email: 'eve@id.example', role: 'member' })).status).toBe(201);
  });
});

describe('a group', () => {
  const PATH = `${TENANT}/groups/lab`;

  test('is given a role by an owner who is in it, changed and taken', async () => {
    const { owner } = await team();
    const ask = (method: string, path: string, role?: Role) =>
      owner.request(one.url, method, path, role === undefined ? undefined : { role });
    expect((await ask('PUT', `${TENANT}/groups/strangers`, 'member')).status).toBe(403);
    expect(await ask('PUT', PATH, 'member')).toMatchObject({ status: 200, body: { group: 'lab', role: 'member' } });
    expect((await ask('PUT', PATH, 'operator')).body).toMatchObject({ role: 'operator' });
    expect((await ask('GET', `${TENANT}/groups`)).body).toMatchObject({ groups: [{ group: 'lab' }], next: null });
    expect((await ask('DELETE', PATH)).status).toBe(200);
    expect([(await ask('GET', PATH)).status, (await ask('DELETE', PATH)).status]).toEqual([404, 404]);
  });
});
