/**
 * The roles that groups of the identity provider give (docs/specification.md#members). For owners and management
 * tokens. A change reaches a member at their next sign-in.
 */
import type { Charged } from '../domain/quota.ts';
import type { Role } from '../domain/rights.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import * as store from '../store/groupRoles.ts';
import { charged, countUse } from './charging.ts';
import { changerOf, type MemberDeps, refuseOwnerByToken } from './members.ts';
import type { Actor } from './permissions.ts';

/**
 * Lists a page of the groups that have a role, by name. Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const listGroups = (
  deps: MemberDeps,
  { credential }: Actor,
  after: string | undefined,
  limit: number,
): Promise<Charged<store.GroupRole[]>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'members'), () =>
      store.listGroups(deps.store, credential.tenant, after, limit),
    ),
  );

/**
 * Reads the role of a group. Costs one read.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const readGroup = (deps: MemberDeps, { credential }: Actor, group: string): Promise<Charged<store.GroupRole>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'members'), () => store.readGroup(deps.store, credential.tenant, group)),
  );

/**
 * Gives a group a role. Costs one write.
 * @param groups the groups of the caller. Only these can be added: else a tenant could make members of any strangers
 * @throws HoldfastError refused if there are too many; unauthenticated, forbidden, unavailable; LimitError
 */
export const putGroup = (
  deps: MemberDeps,
  by: Actor,
  groups: readonly string[],
  group: string,
  role: Role,
): Promise<Charged<store.GroupRole>> => {
  const { credential } = by;
  refuseOwnerByToken(by, role);
  const put = () => store.putGroup(deps.store, credential.tenant, group, role, groups.includes(group), changerOf(by));
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'members'), put));
};

/**
 * Takes the role of a group. Costs one write.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const deleteGroup = (deps: MemberDeps, by: Actor, group: string): Promise<Charged<void>> => {
  const { credential } = by;
  const remove = () => store.deleteGroup(deps.store, credential.tenant, group, changerOf(by));
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'members'), remove));
};
