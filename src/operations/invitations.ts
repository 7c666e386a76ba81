/**
 * Invitations to a tenant (docs/specification.md#members): made and revoked by owners and management tokens, and
 * accepted by people who have a link. Those of an address are accepted at a sign-in (store/signIns.ts).
 */
import { randomBytes } from 'node:crypto';
import type { NewInvitation } from '../contract/members.ts';
import type { Membership } from '../domain/memberships.ts';
import type { Charged } from '../domain/quota.ts';
import { verifyCredential } from '../engine/tenant/credentials.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import { digestOf } from '../identity/credentials.ts';
import type { Author } from '../store/audit.ts';
import * as store from '../store/invitations.ts';
import { charged, countUse } from './charging.ts';
import { type MemberDeps, refuseOwnerByToken } from './members.ts';
import type { Actor } from './permissions.ts';

/** A new invitation. */
export interface Created {
  readonly row: store.Invitation;
  /** False: it existed, with this id */
  readonly isNew: boolean;
  /** The secret of its link; null: it has none, or it was shown before */
  readonly secret: string | null;
}

/**
 * Lists a page of the open invitations, by id. Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const listInvitations = (
  deps: MemberDeps,
  { credential }: Actor,
  after: string | undefined,
  limit: number,
): Promise<Charged<store.Invitation[]>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'members'), () =>
      store.listInvitations(deps.store, credential.tenant, after, limit),
    ),
  );

/**
 * Reads an open invitation. Costs one read.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const readInvitation = (
  deps: MemberDeps,
  { credential }: Actor,
  id: string,
): Promise<Charged<store.Invitation>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'members'), () => store.readInvitation(deps.store, credential.tenant, id)),
  );

/**
 * Invites an address, or makes a link. Costs one write.
 * @throws HoldfastError refused if the address is invited, the id is in use or there are too many; unauthenticated,
 * forbidden, unavailable; LimitError
 */
export const createInvitation = (
  deps: MemberDeps,
  by: Actor,
  { id, email, role, expiresInDays }: NewInvitation,
): Promise<Charged<Created>> => {
  const { credential } = by;
  const create = async () => {
    refuseOwnerByToken(by, role);
    const secret = email === undefined ? randomBytes(20).toString('hex') : null;
    const of = secret === null ? { email: email ?? '' } : { digest: digestOf(secret) };
    const inviter = { actor: by.actor, address: by.address, maker: by.userId ?? credential.credentialKey };
    const created = await store.createInvitation(
      deps.store,
      credential.tenant,
      { id, role, of, expiresInDays },
      inviter,
    );
    return { ...created, secret: created.isNew ? secret : null };
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'members'), create));
};

/**
 * Revokes an invitation: nobody joins by it any more. Costs nothing, so that a leaked link can always be revoked.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable
 */
export async function deleteInvitation(
  { engine, store: invitations }: Pick<MemberDeps, 'engine' | 'store'>,
  by: Actor,
  id: string,
): Promise<void> {
  await verifyCredential(engine, by.credential, 'members');
  await store.deleteInvitation(invitations, by.credential.tenant, id, by);
}

/** Reads where a link leads, and the role that it gives. @throws HoldfastError unknown, unavailable */
export const readLink = (deps: Pick<MemberDeps, 'store'>, secret: string): Promise<Membership> =>
  store.readLink(deps.store, digestOf(secret));

/** Makes a person a member by a link. @throws HoldfastError unknown, unavailable */
export const followLink = (
  deps: Pick<MemberDeps, 'store'>,
  secret: string,
  userId: string,
  by: Author,
): Promise<Membership> => store.followLink(deps.store, digestOf(secret), userId, by);
