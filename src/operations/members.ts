/**
 * Who belongs to a tenant, by the database (docs/specification.md#members): the memberships of a person who signs in,
 * and the members of a tenant. Sessions in Redis follow each change before its call is answered.
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Memberships } from '../domain/memberships.ts';
import type { Charged } from '../domain/quota.ts';
import type { Role } from '../domain/rights.ts';
import type { Engine } from '../engine/engine.ts';
import { verifyCredential } from '../engine/tenant/credentials.ts';
import { endSignIns, giveSignInsRole } from '../engine/tenant/signIns.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import type { Sealer } from '../identity/credentials.ts';
import * as store from '../store/members.ts';
import { loadRecord, type Store } from '../store/records.ts';
import { recordSignIn } from '../store/signIns.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { newDefaultKey } from './keys.ts';
import type { Actor } from './permissions.ts';
import { followChoices } from './personalNotices.ts';

export type MemberDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads'> & { readonly store: Store };

interface SettleDeps {
  readonly engine: Pick<Engine, 'redis'>;
  readonly store: Store;
}

export const membershipsInDatabase = (deps: SettleDeps & { readonly sealer: Sealer }): Memberships => ({
  admit: async (person, address) => {
    const { changed, ...admitted } = await recordSignIn(deps.store, person, address, newDefaultKey(deps.sealer));
    for (const tenant of changed) {
      await settle(deps, tenant, admitted.userId);
      await forget(deps.store, tenant);
    }
    return admitted;
  },
  of: ({ id }) => deps.store.database.run((db) => store.readMemberships(db, id)),
  prefer: ({ id }, tenant) => store.preferTenant(deps.store, id, tenant),
  settle: ({ id }, tenant) => settle(deps, tenant, id),
  names: (tenant, emails) => store.memberNames(deps.store, tenant, emails),
});

/** Makes the outbox of a tenant follow the end of a membership. @throws HoldfastError unavailable */
async function forget(database: Store, tenant: string): Promise<void> {
  await loadRecord(database, tenant);
  await followChoices(database, tenant);
}

/** Makes a user's sessions in a tenant follow the database. @throws HoldfastError unavailable */
const settle = ({ engine, store: database }: SettleDeps, tenant: string, userId: string): Promise<void> =>
  store.withRole(database, tenant, userId, (role) =>
    role === null ? endSignIns(engine, tenant, userId) : giveSignInsRole(engine, tenant, userId, role),
  );

/**
 * Lists a page of the members, by id. Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const listMembers = (
  deps: MemberDeps,
  { credential }: Actor,
  after: string | undefined,
  limit: number,
): Promise<Charged<store.Member[]>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'members'), () =>
      store.listMembers(deps.store, credential.tenant, after, limit),
    ),
  );

/**
 * Reads a member. Costs one read.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const readMember = (deps: MemberDeps, { credential }: Actor, userId: string): Promise<Charged<store.Member>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'members'), () => store.readMember(deps.store, credential.tenant, userId)),
  );

/**
 * Owners are made, changed and removed by people only: a program with the scope `members` must not get the rights of an
 * owner, nor lock the owners out.
 * @throws HoldfastError forbidden
 */
export function refuseOwnerByToken({ credential }: Actor, role: Role): void {
  if (credential.kind === 'management' && role === 'owner')
    throw new HoldfastError('forbidden', 'A management token makes, changes and removes no owners.');
}

/** Describes who changes the role of a member or a group: the stored role decides, too. */
export const changerOf = (by: Actor): store.RoleChanger => ({
  actor: by.actor,
  address: by.address,
  refuse: (stored) => refuseOwnerByToken(by, stored),
});

/**
 * Changes the role of a member. It holds on every instance when this returns. Costs one write.
 * @throws HoldfastError unknown; refused for the last owner; unauthenticated, forbidden, unavailable; LimitError
 */
export const changeRole = (deps: MemberDeps, by: Actor, userId: string, role: Role): Promise<Charged<store.Member>> => {
  const { engine } = deps;
  const { credential } = by;
  const { tenant } = credential;
  const change = async () => {
    refuseOwnerByToken(by, role);
    try {
      return await store.changeRole(deps.store, tenant, userId, role, changerOf(by), (now) =>
        giveSignInsRole(engine, tenant, userId, now),
      );
    } finally {
      await settle(deps, tenant, userId);
    }
  };
  return countUse(deps, credential, charged(chargeWrite(engine, credential, 'members'), change));
};

/**
 * Removes a member. Their sessions and streams have ended on every instance when this returns. Costs nothing, so that
 * no used up quota keeps somebody in.
 * @throws HoldfastError unknown; refused for the last owner; unauthenticated, forbidden, unavailable
 */
export async function removeMember(
  deps: Pick<MemberDeps, 'engine' | 'store'>,
  by: Actor,
  userId: string,
): Promise<void> {
  await verifyCredential(deps.engine, by.credential, 'members');
  await remove(deps, by, by.credential.tenant, userId, 'member.remove');
}

/**
 * Ends the caller's own membership. Costs nothing.
 * @param tenant where: the tenant of the session, or another one that the person belongs to
 * @throws HoldfastError unknown if they are no member there; refused for the last owner; unauthenticated, forbidden,
 * unavailable
 */
export async function leave(
  deps: Pick<MemberDeps, 'engine' | 'store'>,
  by: Actor,
  userId: string,
  tenant = by.credential.tenant,
): Promise<void> {
  await verifyCredential(deps.engine, by.credential);
  await remove(deps, by, tenant, userId, 'member.leave');
}

async function remove(
  deps: SettleDeps,
  by: Actor,
  tenant: string,
  userId: string,
  action: 'member.remove' | 'member.leave',
): Promise<void> {
  try {
    await store.removeMember(deps.store, tenant, userId, changerOf(by), action, () =>
      endSignIns(deps.engine, tenant, userId),
    );
    await forget(deps.store, tenant);
  } finally {
    // Also for somebody who is no member any more: a call that failed halfway is repeated.
    await settle(deps, tenant, userId);
  }
}
