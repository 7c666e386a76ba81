/**
 * Invitations to a tenant (docs/specification.md#members): of an e-mail address, accepted when somebody signs in with
 * it, or by a link that several people may use.
 */
import { and, asc, count, eq, gt, isNull, lte, sql } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import type { Membership } from '../domain/memberships.ts';
import { higherRole, type Role } from '../domain/rights.ts';
import { type Author, note } from './audit.ts';
import { isDuplicate } from './database.ts';
import type { Db } from './db.ts';
import { isBarred, mayInvite } from './lostRoles.ts';
import { join, lock, roleOf } from './members.ts';
import type { Store } from './records.ts';
import { invitations, managementTokens, members, tenants } from './schema.ts';

type Databases = Pick<Store, 'database'>;

/** Maximum number of open invitations of a tenant. */
const MAX_INVITATIONS = 1000;
const DAY_MS = 86_400_000;

export interface Invitation {
  readonly id: string;
  /** null: by a link */
  readonly email: string | null;
  readonly role: Role;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Who invites. */
export interface Inviter extends Author {
  /** The id of the user, or the credential key of the management token; null: an administrator */
  readonly maker: string | null;
}

export interface NewInvitation {
  /** undefined: the database makes one */
  readonly id: string | undefined;
  readonly role: Role;
  /** An e-mail address, or SHA-256 of the secret of a link, hexadecimal. */
  readonly of: { readonly email: string } | { readonly digest: string };
  readonly expiresInDays: number;
}

const COLUMNS = {
  id: invitations.id,
  email: invitations.email,
  role: invitations.role,
  createdBy: invitations.createdBy,
  createdAt: invitations.createdAt,
  expiresAt: invitations.expiresAt,
};

const isOpen = gt(invitations.expiresAt, sql`now()`);

const noSuchInvitation = () => new HoldfastError('unknown', 'There is no such invitation.');

/**
 * Inserts an invitation, in a transaction. One of the same address that has expired goes.
 * @throws an error that isDuplicate() recognizes, if the address is invited or the id is in use
 */
export async function insertInvitation(
  tx: Db,
  tenantId: string,
  { id, role, of, expiresInDays }: NewInvitation,
  { maker, ...by }: Inviter,
): Promise<Invitation> {
  await tx.delete(invitations).where(and(eq(invitations.tenantId, tenantId), lte(invitations.expiresAt, sql`now()`)));
  const address = 'email' in of ? { email: of.email.toLowerCase() } : of;
  const expiresAt = new Date(Date.now() + expiresInDays * DAY_MS);
  const [row] = await tx
    .insert(invitations)
    .values({ ...(id === undefined ? {} : { id }), tenantId, role, ...address, createdBy: by.actor, maker, expiresAt })
    .returning(COLUMNS);
  if (row === undefined) throw new TypeError('an insert returned nothing');
  const details = { id: row.id, email: row.email, role, expiresAt: row.expiresAt.toISOString() };
  await note(tx, tenantId, { ...by, action: 'invitation.create', details });
  return row;
}

/**
 * Creates an invitation, unless one with the same id and content exists.
 * @returns the invitation, and whether it is new
 * @throws HoldfastError forbidden if the inviter may invite no more; refused if the address is invited, the id is in
 * use or there are too many; unavailable
 */
export async function createInvitation(
  { database }: Databases,
  tenantId: string,
  invitation: NewInvitation,
  by: Inviter,
): Promise<{ readonly row: Invitation; readonly isNew: boolean }> {
  const create = async (tx: Db) => {
    await lock(tx, tenantId);
    if (by.maker !== null && !(await mayStillInvite(tx, tenantId, by.maker)))
      throw new HoldfastError('forbidden', 'You may not invite anybody to this tenant any more.');
    const existing = invitation.id === undefined ? undefined : await findById(tx, tenantId, invitation.id);
    if (existing !== undefined) {
      const email = 'email' in invitation.of ? invitation.of.email.toLowerCase() : null;
      if (existing.email !== email || existing.role !== invitation.role) throw idInUse();
      return { row: existing, isNew: false };
    }
    const [open] = await tx
      .select({ open: count() })
      .from(invitations)
      .where(and(eq(invitations.tenantId, tenantId), isOpen));
    if ((open?.open ?? 0) >= MAX_INVITATIONS)
      throw new HoldfastError('refused', `At most ${MAX_INVITATIONS} invitations can be open. Revoke some first.`);
    return { row: await insertInvitation(tx, tenantId, invitation, by), isNew: true };
  };
  try {
    return await database.of(tenantId).transaction(create);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw 'email' in invitation.of && invitation.id === undefined
      ? new HoldfastError('refused', 'This address is invited already. Revoke that invitation first.')
      : idInUse();
  }
}

/**
 * Checks that a person or a management token may invite now: the call was admitted before this transaction. A person's
 * role stays until it has ended.
 */
async function mayStillInvite(tx: Db, tenantId: string, maker: string): Promise<boolean> {
  const digest = /^management:(.*)$/.exec(maker)?.[1];
  if (digest !== undefined) {
    const tokens = await tx
      .select({ id: managementTokens.id })
      .from(managementTokens)
      .where(and(eq(managementTokens.tenantId, tenantId), eq(managementTokens.digest, digest)));
    return tokens.length > 0;
  }
  const [member] = await tx
    .select({ role: members.role, groupRole: members.groupRole })
    .from(members)
    .where(and(eq(members.tenantId, tenantId), eq(members.userId, maker)))
    .for('share');
  return member !== undefined && mayInvite(higherRole(member.role, member.groupRole));
}

const idInUse = () =>
  new HoldfastError('refused', 'The id is in use, or the address is invited already. Choose another id, or revoke it.');

async function findById(db: Db, tenantId: string, id: string): Promise<Invitation | undefined> {
  const [row] = await db
    .select(COLUMNS)
    .from(invitations)
    .where(and(eq(invitations.tenantId, tenantId), eq(invitations.id, id), isOpen));
  return row;
}

/**
 * Lists a page of the open invitations, by id.
 * @throws HoldfastError unavailable
 */
export const listInvitations = (
  { database }: Databases,
  tenantId: string,
  after: string | undefined,
  limit: number,
): Promise<Invitation[]> =>
  database.of(tenantId).run((db) =>
    db
      .select(COLUMNS)
      .from(invitations)
      .where(
        and(eq(invitations.tenantId, tenantId), isOpen, after === undefined ? undefined : gt(invitations.id, after)),
      )
      .orderBy(asc(invitations.id))
      .limit(limit),
  );

/** @throws HoldfastError unknown, unavailable */
export async function readInvitation({ database }: Databases, tenantId: string, id: string): Promise<Invitation> {
  const row = await database.of(tenantId).run((db) => findById(db, tenantId, id));
  if (row === undefined) throw noSuchInvitation();
  return row;
}

/** Revokes an invitation. @throws HoldfastError unknown, unavailable */
export const deleteInvitation = ({ database }: Databases, tenantId: string, id: string, by: Author): Promise<void> =>
  database.of(tenantId).transaction(async (tx) => {
    const [row] = await tx
      .delete(invitations)
      .where(and(eq(invitations.tenantId, tenantId), eq(invitations.id, id)))
      .returning({ email: invitations.email, role: invitations.role });
    if (row === undefined) throw noSuchInvitation();
    await note(tx, tenantId, { ...by, action: 'invitation.delete', details: { id, ...row } });
  });

/** Counts the links that are open. @throws HoldfastError unavailable */
export async function countLinks({ database }: Databases, tenantId: string): Promise<number> {
  const [row] = await database.of(tenantId).run((db) =>
    db
      .select({ links: count() })
      .from(invitations)
      .where(and(eq(invitations.tenantId, tenantId), isNull(invitations.email), isOpen)),
  );
  return row?.links ?? 0;
}

/** Reads where a link leads. @throws HoldfastError unknown if it has expired or was revoked; unavailable */
export const readLink = ({ database }: Databases, digest: string): Promise<Membership> =>
  database.run((db) => findLink(db, digest));

async function findLink(db: Db, digest: string): Promise<Membership> {
  const [row] = await db
    .select({ tenant: tenants.id, name: tenants.name, role: invitations.role })
    .from(invitations)
    .innerJoin(tenants, eq(tenants.id, invitations.tenantId))
    .where(and(eq(invitations.digest, digest), isOpen));
  if (row === undefined)
    throw new HoldfastError('unknown', 'This link has expired, or was revoked. Ask for another one.');
  return row;
}

const BARRED =
  'You were removed from this tenant, or got a lower role, so links do not let you in. Ask an owner to invite your e-mail address.';

/**
 * Makes a person a member by a link.
 * @throws HoldfastError forbidden if they were removed or got a lower role; as readLink()
 */
export const followLink = ({ database }: Databases, digest: string, userId: string, by: Author): Promise<Membership> =>
  database.transaction(async (tx) => {
    // A link that is being revoked lets nobody in after that.
    await tx.select({ id: invitations.id }).from(invitations).where(eq(invitations.digest, digest)).for('share');
    const link = await findLink(tx, digest);
    // Somebody who belongs to the tenant has the role that its owners want: an open link does not raise it again.
    const role = await roleOf(tx, link.tenant, userId);
    if (role !== null) return { ...link, role };
    if (await isBarred(tx, link.tenant, userId)) throw new HoldfastError('forbidden', BARRED);
    await join(tx, link.tenant, userId, link.role, { ...by, by: 'link' });
    return link;
  });
