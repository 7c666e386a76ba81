/**
 * Stores a sign-in (docs/specification.md#members): the person, the roles that their groups give
 * them, and the invitations that they accept. All of it happens in one transaction.
 */
import { randomBytes } from 'node:crypto';
import { and, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Admitted, Joined, Membership, Person } from '../domain/memberships.ts';
import { higherRole, type Role } from '../domain/rights.ts';
import type { Tier } from '../domain/tiers.ts';
import { type Author, note } from './audit.ts';
import { isDuplicate } from './database.ts';
import type { Db } from './db.ts';
import type { NewKey } from './keys.ts';
import { mayInvite, revokeInvitationsOf } from './lostRoles.ts';
import { join, readMemberships } from './members.ts';
import { IdInUse, type Store } from './records.ts';
import { groupRoles, invitations, members, users } from './schema.ts';
import { insertTenant, wasTenant } from './tenants.ts';
import { forgetChoices } from './wantedNotices.ts';

/** The tier of a new tenant. */
const FIRST_TIER: Tier = 'Free';
/** Maximum number of ids that are drawn until no other tenant has one or had it. */
const MAX_TRIES = 5;

/** A sign-in, and the tenants in which it has changed the person's role: sessions there must follow. */
export interface Recorded extends Admitted {
  readonly changed: readonly string[];
}

/**
 * Records a sign-in. It opens the tenant that the person opened last. If they belong to none, it opens the one
 * that invites them, if exactly one does, or else a new one with its default key, which they own.
 * @param address the address that the request came from
 * @param makeKey makes a key for a new tenant
 * @throws HoldfastError unavailable
 */
export async function recordSignIn(
  { database }: Pick<Store, 'database'>,
  person: Person,
  address: string,
  makeKey: (tenant: string) => Promise<NewKey>,
): Promise<Recorded> {
  const by = { actor: `person:${person.email ?? person.subject}`, address };
  for (let tried = 0; ; tried++) {
    const name = person.name ?? person.email ?? person.subject;
    const id = newTenantId(name);
    const newTenant = async (tx: Db) => {
      const key = await makeKey(id);
      if (await wasTenant(tx, id)) throw new IdInUse();
      return insertTenant(tx, { id, name, tier: FIRST_TIER, key }, by);
    };
    try {
      return await database.transaction((tx) => record(tx, person, by, newTenant));
    } catch (error) {
      // Another tenant has the id, or had it.
      if (!(isDuplicate(error) || error instanceof IdInUse) || tried === MAX_TRIES) throw error;
    }
  }
}

async function record(
  tx: Db,
  person: Person,
  by: Author,
  newTenant: (tx: Db) => Promise<Membership>,
): Promise<Recorded> {
  const { id: userId, tenantId } = await upsertUser(tx, person);
  const before = await readMemberships(tx, userId);
  await refreshGroups(tx, userId, person.groups, by);
  const had = await readMemberships(tx, userId);
  const accepted = person.email === null ? [] : await acceptInvitations(tx, userId, person.email, by);
  const memberships = accepted.length === 0 ? had : await readMemberships(tx, userId);
  const joined = newTenants(accepted, had, memberships);
  const known = memberships.filter(({ tenant }) => joined.every((one) => one.tenant !== tenant));
  let open = known.find(({ tenant }) => tenant === tenantId) ?? known[0];
  // Anybody can invite any address: an invitation never takes the place of a tenant that the person knows, and one of
  // several opens none.
  if (open === undefined && joined.length === 1) open = memberships[0];
  if (open === undefined) {
    open = await newTenant(tx);
    await tx.insert(members).values({ tenantId: open.tenant, userId, role: open.role });
    memberships.unshift(open);
  }
  await tx.update(users).set({ tenantId: open.tenant }).where(eq(users.id, userId));
  return { userId, memberships, open, joined, changed: changed(before, memberships) };
}

/** Lists the tenants that somebody has joined by invitations, without those that they belonged to. */
function newTenants(accepted: readonly Accepted[], had: readonly Membership[], now: readonly Membership[]): Joined[] {
  const by = new Map(accepted.map(({ tenantId, createdBy }) => [tenantId, createdBy]));
  for (const { tenant } of had) by.delete(tenant);
  return now.flatMap(({ tenant, name }) => {
    const inviter = by.get(tenant);
    return inviter === undefined ? [] : [{ tenant, name, by: inviter }];
  });
}

/** Lists the tenants in which somebody's role differs. */
function changed(before: readonly Membership[], after: readonly Membership[]): string[] {
  const roles = new Map(after.map(({ tenant, role }) => [tenant, role]));
  return before.flatMap(({ tenant, role }) => (roles.get(tenant) === role ? [] : [tenant]));
}

/** Inserts or refreshes the person's row. Sign-ins of one person wait here for each other. */
async function upsertUser(tx: Db, { issuer, subject, email, name }: Person) {
  const [user] = await tx
    .insert(users)
    .values({ issuer, subject, email, name })
    .onConflictDoUpdate({ target: [users.issuer, users.subject], set: { email, name, signedInAt: new Date() } })
    .returning({ id: users.id, tenantId: users.tenantId });
  if (user === undefined) throw new TypeError('an insert returned nothing');
  return user;
}

/** Gives the person the roles of their groups, and takes those of groups that they have left. */
async function refreshGroups(tx: Db, userId: string, groups: readonly string[], by: Author): Promise<void> {
  const given = new Map<string, Role>();
  const mapped =
    groups.length === 0
      ? []
      : await tx
          .select()
          .from(groupRoles)
          .where(inArray(groupRoles.group, [...groups]));
  for (const { tenantId, role } of mapped) given.set(tenantId, higherRole(role, given.get(tenantId) ?? null) ?? role);
  const rows = await tx.select().from(members).where(eq(members.userId, userId));
  for (const { tenantId, role, groupRole } of rows) {
    const now = given.get(tenantId) ?? null;
    given.delete(tenantId);
    if (now === groupRole) continue;
    const row = and(eq(members.tenantId, tenantId), eq(members.userId, userId));
    if (role === null && now === null) {
      await forgetChoices(tx, tenantId, userId);
      await tx.delete(members).where(row);
      await note(tx, tenantId, { ...by, action: 'member.leave', details: { userId, by: 'group' } });
    } else await tx.update(members).set({ groupRole: now }).where(row);
    if (!mayInvite(higherRole(role, now))) await revokeInvitationsOf(tx, tenantId, userId, by);
  }
  for (const [tenantId, groupRole] of given) {
    await tx.insert(members).values({ tenantId, userId, groupRole });
    await note(tx, tenantId, { ...by, action: 'member.join', details: { userId, role: groupRole, by: 'group' } });
  }
}

interface Accepted {
  readonly tenantId: string;
  /** Who made the invitation. */
  readonly createdBy: string;
}

/** Accepts the invitations of an address. */
async function acceptInvitations(tx: Db, userId: string, email: string, by: Author): Promise<Accepted[]> {
  const accepted = await tx
    .delete(invitations)
    .where(and(eq(invitations.email, email.toLowerCase()), gt(invitations.expiresAt, sql`now()`)))
    .returning({ tenantId: invitations.tenantId, role: invitations.role, createdBy: invitations.createdBy });
  for (const { tenantId, role } of accepted) await join(tx, tenantId, userId, role, { ...by, by: 'invitation' });
  return accepted;
}

/** Makes an id of the recognizable part of a name and a random suffix. */
function newTenantId(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/@.*$/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 30);
  return `${slug || 'tenant'}-${randomBytes(3).toString('hex')}`;
}
