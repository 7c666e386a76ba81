/**
 * Who belongs to a tenant, by the database (docs/specification.md#members): the memberships of a person who signs in,
 * and the members of a tenant. Sessions in Redis follow each change before its call is answered.
 */
import type { Memberships } from '../domain/memberships.ts';
import type { Engine } from '../engine/call.ts';
import { endSignIns, giveSignInsRole } from '../engine/tenant/signIns.ts';
import type { Sealer } from '../identity/sealer.ts';
import * as store from '../store/members.ts';
import type { Store } from '../store/records.ts';
import { recordSignIn } from '../store/signIns.ts';
import { newDefaultKey } from './keys.ts';

export interface MemberDeps {
  readonly engine: Engine;
  readonly store: Store;
}

export const membershipsInDatabase = (deps: MemberDeps & { readonly sealer: Sealer }): Memberships => ({
  admit: async (person, address) => {
    const { changed, ...admitted } = await recordSignIn(deps.store, person, address, newDefaultKey(deps.sealer));
    for (const tenant of changed) await settle(deps, tenant, admitted.userId);
    return admitted;
  },
  of: ({ id }) => deps.store.database.run((db) => store.readMemberships(db, id)),
  prefer: ({ id }, tenant) => store.preferTenant(deps.store, id, tenant),
  settle: ({ id }, tenant) => settle(deps, tenant, id),
});

/**
 * Makes a user's sessions in a tenant follow the database. If the membership has changed once more meanwhile, it does
 * so again: whoever writes last has read the last state.
 * @throws HoldfastError unavailable
 */
async function settle({ engine, store: { database } }: MemberDeps, tenant: string, userId: string): Promise<void> {
  let role = await store.roleIn({ database }, tenant, userId);
  for (;;) {
    if (role === null) await endSignIns(engine, tenant, userId);
    else await giveSignInsRole(engine, tenant, userId, role);
    const now = await store.roleIn({ database }, tenant, userId);
    if (now === role) return;
    role = now;
  }
}
