/**
 * Tenants that administrators create, each with an invitation of its first owner
 * (docs/specification.md#tenants-and-administration).
 */
import { and, eq, sql } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import type { Tier } from '../domain/tiers.ts';
import type { Author } from './audit.ts';
import { isDuplicate } from './database.ts';
import type { Db } from './db.ts';
import { insertInvitation } from './invitations.ts';
import type { NewKey } from './keys.ts';
import type { Store } from './records.ts';
import { invitations, members, tenants, users } from './schema.ts';
import { insertTenant, wasTenant } from './tenants.ts';

/** Longest time for which the invitation of the first owner can be accepted, in days. */
const INVITED_DAYS = 14;

export interface TenantToCreate {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  /** The e-mail address of the first owner; undefined: nobody is invited */
  readonly owner: string | undefined;
}

/**
 * Creates a tenant with its default key, unless it exists with the same content. Until it has an owner, the call may
 * name another one, and renews an invitation that has expired.
 * @param makeKey makes the default key
 * @returns whether it is new
 * @throws HoldfastError refused if the id is in use; unavailable
 */
export async function createTenant(
  { database }: Pick<Store, 'database'>,
  tenant: TenantToCreate,
  makeKey: () => Promise<NewKey>,
  by: Author,
): Promise<boolean> {
  for (let isFirst = true; ; isFirst = false) {
    const key = await makeKey();
    try {
      return await database.transaction((tx) => create(tx, tenant, key, by));
    } catch (error) {
      // Another call has just created it.
      if (!isFirst || !isDuplicate(error)) throw error;
    }
  }
}

async function create(tx: Db, { id, name, tier, owner }: TenantToCreate, key: NewKey, by: Author): Promise<boolean> {
  // Before the tenant is looked for: another call may be creating it, with its first entry.
  const isUsed = await wasTenant(tx, id);
  // Calls that name another owner wait for each other.
  const [existing] = await tx
    .select({ name: tenants.name, tier: tenants.tier })
    .from(tenants)
    .where(eq(tenants.id, id))
    .for('no key update');
  if (existing === undefined) {
    if (isUsed) throw new HoldfastError('refused', 'A tenant that was deleted had this id. Choose another one.');
    await insertTenant(tx, { id, name, tier, key }, by);
  } else if (existing.name !== name || existing.tier !== tier) throw idInUse();
  if (owner !== undefined) await inviteOwner(tx, id, owner.toLowerCase(), by);
  return existing === undefined;
}

const idInUse = () =>
  new HoldfastError('refused', 'the id is in use, by a tenant with another name, tier or owner. Choose another one.');

async function inviteOwner(tx: Db, tenantId: string, email: string, by: Author): Promise<void> {
  const owners = await tx
    .select({ email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.tenantId, tenantId), eq(members.role, 'owner')));
  if (owners.some((owner) => owner.email?.toLowerCase() === email)) return;
  if (owners.length > 0) throw idInUse();
  const open = await tx
    .select({ email: invitations.email })
    .from(invitations)
    .where(
      and(
        eq(invitations.tenantId, tenantId),
        eq(invitations.email, email),
        eq(invitations.role, 'owner'),
        sql`${invitations.expiresAt} > now()`,
      ),
    );
  if (open.length > 0) return;
  // Nobody but administrators can have invited anybody: an address that was mistyped must not get in.
  await tx.delete(invitations).where(eq(invitations.tenantId, tenantId));
  const invitation = { id: undefined, role: 'owner', of: { email }, expiresInDays: INVITED_DAYS } as const;
  await insertInvitation(tx, tenantId, invitation, { ...by, maker: null });
}
