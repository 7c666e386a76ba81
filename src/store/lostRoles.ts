/**
 * Consequences of losing a role (docs/specification.md#members): links of invitations do not let people back in who
 * were removed or got a lower role, and invitations end when those who made them may invite no more.
 */
import { and, eq } from 'drizzle-orm';
import { RIGHTS_OF_ROLE, type Role } from '../domain/rights.ts';
import { type Author, noteAll } from './audit.ts';
import type { Db } from './db.ts';
import { invitations, linkBars } from './schema.ts';

/** Returns true if a role allows to invite; null: no role */
export const mayInvite = (role: Role | null): boolean => role !== null && RIGHTS_OF_ROLE[role].includes('members');

/** Makes links give a person nothing in a tenant from now on, in a transaction. */
export async function barFromLinks(tx: Db, tenantId: string, userId: string): Promise<void> {
  await tx.insert(linkBars).values({ tenantId, userId }).onConflictDoNothing();
}

/** Returns true if links give a person nothing in a tenant. */
export async function isBarred(db: Db, tenantId: string, userId: string): Promise<boolean> {
  const rows = await db
    .select({ userId: linkBars.userId })
    .from(linkBars)
    .where(and(eq(linkBars.tenantId, tenantId), eq(linkBars.userId, userId)));
  return rows.length > 0;
}

/**
 * Revokes the invitations that a person or a management token has made, in the transaction that takes the right to
 * invite.
 * @param maker the id of the person, or the credential key of the token
 */
export async function revokeInvitationsOf(tx: Db, tenantId: string, maker: string, by: Author): Promise<void> {
  const revoked = await tx
    .delete(invitations)
    .where(and(eq(invitations.tenantId, tenantId), eq(invitations.maker, maker)))
    .returning({ id: invitations.id, email: invitations.email, role: invitations.role });
  const { actor, address } = by;
  await noteAll(
    tx,
    tenantId,
    revoked.map((details) => ({ actor, address, action: 'invitation.delete', details })),
  );
}
