/**
 * The members of tenants: who they are, and which roles they have (docs/specification.md#members). A tenant always has
 * an owner by a role that was given to them: roles by groups may end with any sign-in.
 */
import { and, asc, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import type { Membership } from '../domain/memberships.ts';
import { higherRole, type Role } from '../domain/rights.ts';
import { type Author, note } from './audit.ts';
import type { Db } from './db.ts';
import { barFromLinks, isBarred, mayInvite, revokeInvitationsOf } from './lostRoles.ts';
import { noSuchTenant, type Store } from './records.ts';
import { members, tenants, users } from './schema.ts';
import { forgetChoices } from './wantedNotices.ts';

type Databases = Pick<Store, 'database'>;

export interface Member {
  /** The user's id. */
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly subject: string;
  /** The higher one of the two. */
  readonly role: Role;
  /** The role that an owner gave; null: only groups give one */
  readonly givenRole: Role | null;
  /** The role that groups of the identity provider give; null: none does */
  readonly groupRole: Role | null;
  readonly createdAt: Date;
  readonly signedInAt: Date;
}

/** Who changes the role of a member or of a group. */
export interface RoleChanger extends Author {
  /**
   * Called with the stored role, in the transaction that changes it.
   * @throws HoldfastError forbidden if the role is not theirs to change
   */
  refuse(stored: Role): void;
}

const of = (tenant: string, userId: string) => and(eq(members.tenantId, tenant), eq(members.userId, userId));

const noSuchMember = () => new HoldfastError('unknown', 'There is no such member.');

const selectMembers = (db: Db) =>
  db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      subject: users.subject,
      givenRole: members.role,
      groupRole: members.groupRole,
      createdAt: members.createdAt,
      signedInAt: users.signedInAt,
    })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId));

type Row = Awaited<ReturnType<typeof selectMembers>>[number];

/** Adds the role that counts. Every row has at least one of the two. */
const toMember = (row: Row): Member => ({ ...row, role: higherRole(row.givenRole, row.groupRole) ?? 'viewer' });

/**
 * Returns the names of members, by their e-mail addresses, of those who have both.
 * @throws HoldfastError unavailable
 */
export async function memberNames(
  { database }: Databases,
  tenant: string,
  emails: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (emails.length === 0) return new Map();
  const rows = await database.of(tenant).run((db) =>
    db
      .select({ email: users.email, name: users.name })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(eq(members.tenantId, tenant), inArray(users.email, [...emails]), isNotNull(users.name))),
  );
  return new Map(rows.flatMap(({ email, name }) => (email === null || name === null ? [] : [[email, name]])));
}

/**
 * Lists a page of a tenant's members, by id.
 * @param after only members with a greater id
 * @throws HoldfastError unavailable
 */
export async function listMembers(
  { database }: Databases,
  tenant: string,
  after: string | undefined,
  limit: number,
): Promise<Member[]> {
  const rows = await database.of(tenant).run((db) =>
    selectMembers(db)
      .where(and(eq(members.tenantId, tenant), after === undefined ? undefined : gt(members.userId, after)))
      .orderBy(asc(members.userId))
      .limit(limit),
  );
  return rows.map(toMember);
}

/** @throws HoldfastError unknown, unavailable */
export const readMember = ({ database }: Databases, tenant: string, userId: string): Promise<Member> =>
  database.of(tenant).run((db) => readRow(db, tenant, userId));

async function readRow(db: Db, tenant: string, userId: string): Promise<Member> {
  const row = await findRow(db, tenant, userId);
  if (row === null) throw noSuchMember();
  return row;
}

async function findRow(db: Db, tenant: string, userId: string): Promise<Member | null> {
  const [row] = await selectMembers(db).where(of(tenant, userId));
  return row === undefined ? null : toMember(row);
}

/** Lists a person's memberships, the oldest first. */
export async function readMemberships(db: Db, userId: string): Promise<Membership[]> {
  const rows = await db
    .select({ tenant: tenants.id, name: tenants.name, role: members.role, groupRole: members.groupRole })
    .from(members)
    .innerJoin(tenants, eq(tenants.id, members.tenantId))
    .where(eq(members.userId, userId))
    .orderBy(asc(members.createdAt), asc(members.tenantId));
  return rows.map(({ tenant, name, role, groupRole }) => ({
    tenant,
    name,
    role: higherRole(role, groupRole) ?? 'viewer',
  }));
}

/**
 * Writes something that depends on somebody's role. Changes of the tenant's members wait meanwhile, so that a value for
 * an earlier role never replaces that for a later one.
 * @param follow called with the role; null: they are no member
 * @throws HoldfastError unavailable; the errors of `follow`
 */
export const withRole = (
  { database }: Databases,
  tenant: string,
  userId: string,
  follow: (role: Role | null) => Promise<void>,
): Promise<void> =>
  database.of(tenant).transaction(async (tx) => {
    await lockRow(tx, tenant);
    await follow(await roleOf(tx, tenant, userId));
  });

/** Reads somebody's role, in a transaction; null: they are no member. */
export async function roleOf(db: Db, tenant: string, userId: string): Promise<Role | null> {
  const [row] = await db
    .select({ role: members.role, groupRole: members.groupRole })
    .from(members)
    .where(of(tenant, userId));
  return row === undefined ? null : higherRole(row.role, row.groupRole);
}

/** Makes a person's next sign-in open a tenant. @throws HoldfastError unavailable */
export const preferTenant = async ({ database }: Databases, userId: string, tenantId: string): Promise<void> => {
  await database.run((db) => db.update(users).set({ tenantId }).where(eq(users.id, userId)));
};

/**
 * Makes a person a member, in a transaction. A higher role that they have stays.
 * @param by who joins or lets them in, and by what: `invitation`, `link`, `member`
 */
export async function join(
  tx: Db,
  tenantId: string,
  userId: string,
  role: Role,
  { by, ...author }: Author & { readonly by: string },
): Promise<void> {
  await tx
    .insert(members)
    .values({ tenantId, userId, role })
    .onConflictDoUpdate({
      target: [members.tenantId, members.userId],
      // The roles of the type are in their order, and GREATEST leaves nulls out.
      set: { role: sql`greatest(${members.role}, excluded.role)` },
    });
  await note(tx, tenantId, { ...author, action: 'member.join', details: { userId, role, by } });
}

/**
 * Changes the role that a member was given. Takes back somebody who was removed: links do not let them in any more.
 * @param by who changes it, and which roles they may not change
 * @param lowerSessions called with the role that now counts, if it is lower than before: before the change is
 * committed, so that no session keeps the higher one if this instance dies
 * @throws HoldfastError unknown; refused for the last owner; unavailable; the errors of `refuse` and `lowerSessions`
 */
export const changeRole = (
  { database }: Databases,
  tenant: string,
  userId: string,
  role: Role,
  { refuse, ...by }: RoleChanger,
  lowerSessions: (role: Role) => Promise<void>,
): Promise<Member> =>
  database.of(tenant).transaction(async (tx) => {
    await lock(tx, tenant);
    const before = await findRow(tx, tenant, userId);
    if (before === null) {
      if (!(await isBarred(tx, tenant, userId))) throw noSuchMember();
      await join(tx, tenant, userId, role, { ...by, by: 'member' });
      return readRow(tx, tenant, userId);
    }
    refuse(before.role);
    if (role !== 'owner') await keepAnOwner(tx, tenant, before);
    await tx.update(members).set({ role }).where(of(tenant, userId));
    const after = await readRow(tx, tenant, userId);
    if (before.givenRole !== role)
      await note(tx, tenant, {
        ...by,
        action: 'member.change',
        details: { userId, member: before.email ?? before.subject, role, before: before.role },
      });
    if (isLower(role, before.givenRole ?? before.role)) await barFromLinks(tx, tenant, userId);
    if (!mayInvite(after.role)) await revokeInvitationsOf(tx, tenant, userId, by);
    if (isLower(after.role, before.role)) await lowerSessions(after.role);
    return after;
  });

const isLower = (role: Role, than: Role): boolean => higherRole(role, than) !== role;

/**
 * Removes a member.
 * @param by who removes them, and which roles they may not change
 * @param action what the audit trail calls it
 * @param endSessions called before the removal is committed, so that none lasts if this instance dies
 * @throws HoldfastError unknown; refused for the last owner; unavailable; the errors of `refuse` and `endSessions`
 */
export const removeMember = (
  { database }: Databases,
  tenant: string,
  userId: string,
  { refuse, ...by }: RoleChanger,
  action: 'member.remove' | 'member.leave',
  endSessions: () => Promise<void>,
): Promise<void> =>
  database.of(tenant).transaction(async (tx) => {
    await lock(tx, tenant);
    const member = await readRow(tx, tenant, userId);
    refuse(member.role);
    await keepAnOwner(tx, tenant, member);
    await forgetChoices(tx, tenant, userId);
    await tx.delete(members).where(of(tenant, userId));
    await note(tx, tenant, { ...by, action, details: { userId, member: member.email ?? member.subject } });
    if (action === 'member.remove') await barFromLinks(tx, tenant, userId);
    await revokeInvitationsOf(tx, tenant, userId, by);
    await endSessions();
  });

/** Makes changes of one tenant's members wait for each other. @throws HoldfastError unknown */
export async function lock(tx: Db, tenant: string): Promise<void> {
  const rows = await lockRow(tx, tenant);
  if (rows.length === 0) throw noSuchTenant();
}

const lockRow = (tx: Db, tenant: string) =>
  tx.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenant)).for('no key update');

/** @throws HoldfastError refused if the member is the last one that was made an owner */
async function keepAnOwner(tx: Db, tenant: string, { givenRole }: Member): Promise<void> {
  if (givenRole !== 'owner') return;
  const owners = await tx
    .select({ id: members.userId })
    .from(members)
    .where(and(eq(members.tenantId, tenant), eq(members.role, 'owner')))
    .limit(2);
  if (owners.length < 2)
    throw new HoldfastError(
      'refused',
      'The last owner cannot leave, be removed or get a lower role. Make another owner first.',
    );
}
