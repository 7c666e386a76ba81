/**
 * A sign-in changes members, groups and invitations (docs/specification.md#members).
 */
import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../src/domain/memberships.ts';
import type { Role } from '../../src/domain/rights.ts';
import { beginSignIn, giveSignInsRole, readSignIn } from '../../src/engine/tenant/signIns.ts';
import { makeSession, parseSession, Sealer } from '../../src/identity/credentials.ts';
import { membershipsInDatabase } from '../../src/operations/members.ts';
import { auditPage, noteActions } from '../../src/store/audit.ts';
import { putGroup } from '../../src/store/groupRoles.ts';
import { createInvitation, followLink, readLink } from '../../src/store/invitations.ts';
import { changeRole } from '../../src/store/members.ts';
import { invitations, members, users } from '../../src/store/schema.ts';
import { recordSignIn } from '../../src/store/signIns.ts';
import { BY, KEY_SECRET, makeStore, type OwnStore, somebodyWaits, storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

let store: OwnStore;
beforeAll(async () => {
  store = await makeStore();
});
afterAll(() => store.close());

const somebody = (more: Partial<Person> = {}): Person => {
  const subject = randomUUID();
  return {
    issuer: 'https://id.example',
    subject,
    email: `${subject}@id.example`,
    name: 'Some Body',
    groups: [],
    ...more,
  };
};
const newKey = async (tenant: string) => ({ digest: `key of ${tenant}`, sealed: '', label: null });
const enter = (person: Person) => recordSignIn(store, person, '127.0.0.1', newKey);
const rolesOf = async (person: Person) =>
  (await enter(person)).memberships.map(({ tenant, role }) => `${tenant} ${role}`).sort();
const invite = (tenant: string, email: string, role: Role) =>
  createInvitation(store, tenant, { id: undefined, role, of: { email }, expiresInDays: 1 }, BY);
const tenant = async () => (await storeTenant(store)).tenant;

describe('the first sign-in', () => {
  test('makes a tenant, with the person as its owner, and the next one opens it again', async () => {
    const person = somebody();
    const first = await enter(person);
    expect(first.open).toEqual({ tenant: first.open.tenant, name: 'Some Body', role: 'owner' });
    expect(await enter(person)).toEqual(first);
  });

  test('in two windows at once makes one tenant', async () => {
    const person = somebody();
    const [one, other] = await Promise.all([enter(person), enter(person)]);
    expect(one).toEqual(other);
  });

  test('makes a tenant with an id that none has had: it would see the audit trail of the one before', async () => {
    const drawn: string[] = [];
    const draw = async (id: string) => {
      // Each id but the third is that of a tenant that was deleted.
      if (drawn.push(id) !== 3) await noteActions(store.database, id, [{ ...BY, action: 'tenant.delete' }]);
      return newKey(id);
    };
    const { open } = await recordSignIn(store, somebody(), '127.0.0.1', draw);
    expect([drawn.length, open.tenant]).toEqual([3, drawn[2]]);
  });

  test('of somebody who is invited makes no tenant: it opens the one that invites', async () => {
    const inviting = await tenant();
    const person = somebody();
    await invite(inviting, (person.email ?? '').toUpperCase(), 'operator');
    const { memberships, open } = await enter(person);
    expect([memberships.length, open.tenant, open.role]).toEqual([1, inviting, 'operator']);
    const [joined] = await auditPage(store.database, { tenant: inviting }, undefined, 1);
    expect([joined?.action, joined?.actor, joined?.address]).toEqual([
      'member.join',
      `person:${person.email}`,
      '127.0.0.1',
    ]);
  });
});

describe('a sign-in that accepts invitations', () => {
  const inviting = async (person: Person) => {
    const id = await tenant();
    await invite(id, person.email ?? '', 'member');
    return id;
  };

  test('opens the tenant that the person has, and tells of the others: who invited', async () => {
    const person = somebody();
    const { open: own } = await enter(person);
    const other = await inviting(person);
    const { open, joined, memberships } = await enter(person);
    expect([open, memberships.length]).toEqual([own, 2]);
    expect(joined).toEqual([{ tenant: other, name: `Tenant ${other}`, by: BY.actor }]);
    expect(await enter(person)).toMatchObject({ open: own, joined: [] });
  });

  test('opens a tenant that a group gives rather than one that invites', async () => {
    const mapped = await tenant();
    await putGroup(store, mapped, 'students', 'viewer', true, BY);
    const person = somebody({ groups: ['students'] });
    const other = await inviting(person);
    const { open, joined } = await enter(person);
    expect([open.tenant, joined.map((one) => one.tenant)]).toEqual([mapped, [other]]);
  });

  test('of several tenants opens none of them, but a new one', async () => {
    const person = somebody();
    const others = [await inviting(person), await inviting(person)].sort();
    const { open, joined, memberships } = await enter(person);
    expect([open.role, memberships[0], memberships.length]).toEqual(['owner', open, 3]);
    expect(joined.map((one) => one.tenant).sort()).toEqual(others);
  });

  test('tells of no tenant that the person belongs to already', async () => {
    const person = somebody();
    const first = await inviting(person);
    expect((await enter(person)).joined.map((one) => one.tenant)).toEqual([first]);
    await invite(first, person.email ?? '', 'operator');
    expect(await enter(person)).toMatchObject({ open: { tenant: first, role: 'operator' }, joined: [] });
  });
});

describe('an invitation', () => {
  test('is for the verified address alone, and once', async () => {
    const inviting = await tenant();
    await invite(inviting, 'carol@id.example', 'member');
    const unverified = somebody({ email: null, name: 'carol@id.example' });
    expect((await enter(unverified)).open.tenant).not.toBe(inviting);
    expect((await enter(somebody({ email: 'carol@id.example' }))).open.tenant).toBe(inviting);
    expect((await enter(somebody({ email: 'carol@id.example' }))).open.tenant).not.toBe(inviting);
  });

  test('is for an address whatever its capitals, and until it expires', async () => {
    const inviting = await tenant();
    await invite(inviting, 'erin@id.example', 'member');
    await invite(inviting, 'frank@id.example', 'member');
    await store.database.run((db) =>
      db.update(invitations).set({ expiresAt: sql`now()` }).where(eq(invitations.email, 'frank@id.example')),
    );
    expect((await enter(somebody({ email: 'frank@id.example' }))).open.tenant).not.toBe(inviting);
    expect((await enter(somebody({ email: 'Erin@Id.Example' }))).open.tenant).toBe(inviting);
  });

  test('by a link lets nobody in once it has expired', async () => {
    const inviting = await tenant();
    const digest = randomUUID();
    await createInvitation(store, inviting, { id: undefined, role: 'viewer', of: { digest }, expiresInDays: 1 }, BY);
    const person = somebody();
    const { userId } = await enter(person);
    expect(await readLink(store, digest)).toMatchObject({ tenant: inviting, role: 'viewer' });
    await store.database.run((db) =>
      db.update(invitations).set({ expiresAt: sql`now()` }).where(eq(invitations.digest, digest)),
    );
    await expect(readLink(store, digest)).rejects.toThrow('This link has expired');
    await expect(followLink(store, digest, userId, BY)).rejects.toThrow('This link has expired');
    expect(await rolesOf(person)).not.toContain(`${inviting} viewer`);
  });

  test('keeps a higher role that its member has, and raises a lower one', async () => {
    const inviting = await tenant();
    const person = somebody();
    for (const [role, after] of [
      ['operator', 'operator'],
      ['viewer', 'operator'],
      ['owner', 'owner'],
    ] as const) {
      await invite(inviting, person.email ?? '', role);
      expect(await rolesOf(person)).toEqual([`${inviting} ${after}`]);
    }
  });

  test('of an invited address is refused; a repeat with the same id makes no second one', async () => {
    const inviting = await tenant();
    const id = randomUUID();
    const create = (role: Role) =>
      createInvitation(store, inviting, { id, role, of: { email: 'dave@id.example' }, expiresInDays: 1 }, BY);
    expect((await create('member')).isNew).toBe(true);
    expect((await create('member')).isNew).toBe(false);
    await expect(create('owner')).rejects.toMatchObject({ code: 'refused' });
    await expect(invite(inviting, 'Dave@id.example', 'member')).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('groups', () => {
  const map = (id: string, group: string, role: Role) => putGroup(store, id, group, role, true, BY);

  test('give the highest of their roles, from sign-in to sign-in; a role that an owner gave stays', async () => {
    const mapped = await tenant();
    await map(mapped, 'lab', 'member');
    await map(mapped, 'admins', 'operator');
    const person = somebody({ groups: ['lab', 'admins', 'others'] });
    expect(await rolesOf(person)).toEqual([`${mapped} operator`]);
    const less = await enter({ ...person, groups: ['lab'] });
    expect([less.open.role, less.changed]).toEqual(['member', [mapped]]);
    await invite(mapped, person.email ?? '', 'viewer');
    expect(await rolesOf({ ...person, groups: ['lab'] })).toEqual([`${mapped} member`]);
    expect(await rolesOf({ ...person, groups: [] })).toEqual([`${mapped} viewer`]);
  });

  test('that somebody has left take the membership, and with it the tenant that opens', async () => {
    const mapped = await tenant();
    await map(mapped, 'team', 'member');
    const person = somebody({ groups: ['team'] });
    expect((await enter(person)).open.tenant).toBe(mapped);
    const { open, changed } = await enter({ ...person, groups: [] });
    expect([open.tenant === mapped, open.role, changed]).toEqual([false, 'owner', [mapped]]);
  });

  test('can be added only by a person who is in them', async () => {
    const mapped = await tenant();
    const add = putGroup(store, mapped, 'everybody', 'member', false, BY);
    await expect(add).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('somebody whose last sign-in opened a tenant that they belong to no more', () => {
  test('does not become its owner, even if it has none', async () => {
    const [id, person] = [await tenant(), somebody()];
    const { issuer, subject, email, name } = person;
    await store.database.run((db) => db.insert(users).values({ tenantId: id, issuer, subject, email, name }));
    expect((await enter(person)).memberships.map((one) => one.tenant)).not.toContain(id);
  });

  test('does not get back in', async () => {
    const [id, owner, person] = [await tenant(), somebody(), somebody()];
    await invite(id, owner.email ?? '', 'owner');
    await invite(id, person.email ?? '', 'operator');
    await enter(owner);
    const { userId } = await enter(person);
    await store.database.run((db) =>
      db.delete(members).where(and(eq(members.tenantId, id), eq(members.userId, userId))),
    );
    expect((await enter(person)).memberships.map((one) => one.tenant)).not.toContain(id);
  });
});

/** Sessions follow the role that their person has in the database, in the order of its changes. */
test('a role that was read before a lower one was given is not written after it', async () => {
  const { tenant } = await storeTenant(store);
  const email = `${randomUUID()}@id.example`;
  const person = { issuer: 'https://id.example', subject: email, email, name: null, groups: [] };
  await createInvitation(store, tenant, { id: undefined, role: 'member', of: { email }, expiresInDays: 1 }, BY);
  const { userId: id } = await recordSignIn(store, person, '127.0.0.1', () => Promise.reject(new Error('a tenant')));
  const session = parseSession(makeSession(tenant));
  if (session === null) throw new Error('a session that was just made cannot be read');
  const user = { ...person, id, tenantName: tenant, joined: [], hasSeveral: false, describedUntilMs: 0 };
  await beginSignIn({ redis: store.redis }, session, { ...user, role: 'viewer' }, 60_000);
  const roleNow = async () => (await readSignIn({ redis: store.redis }, session))?.role;

  let isLowered = false;
  const lower = async () => {
    await changeRole(store, tenant, id, 'viewer', BY, (role) => giveSignInsRole(store, tenant, id, role));
    isLowered = true;
  };
  let lowered = Promise.resolve();
  const seen: unknown[] = [];
  // The client of an instance that has read the role member, and writes it to the session once the role is lowered, or
  // once lowering it waits.
  const redis = new Proxy(store.redis, {
    get: (client, name) => {
      const value: unknown = Reflect.get(client, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (name !== 'set') return Reflect.apply(value, client, args);
        lowered = lower();
        await until('the change, or that it waits', async () => isLowered || (await somebodyWaits(store.database)));
        const reply: unknown = await Reflect.apply(value, client, args);
        if (isLowered) seen.push(await roleNow());
        return reply;
      };
    },
  });
  await membershipsInDatabase({ engine: { redis }, store, sealer: new Sealer(KEY_SECRET) }).settle(user, tenant);
  await lowered;
  expect([isLowered, ...seen, await roleNow()]).toEqual([true, ...seen.map(() => 'viewer'), 'viewer']);
});
