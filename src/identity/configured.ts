/**
 * The in-memory mode (docs/specification.md#store-modes-and-start, #without-a-database): tenants and members from the
 * configuration.
 */

import { HoldfastError } from '../domain/errors.ts';
import type { Known, Membership, Memberships } from '../domain/memberships.ts';
import { LOCAL_ISSUER } from '../domain/names.ts';
import { higherRole, type Role } from '../domain/rights.ts';
import { DEFAULT_SETTINGS, grantOf, type KeyLimits, type TenantRecord } from '../domain/tenants.ts';
import type { Tier } from '../domain/tiers.ts';
import { digestOf } from './credentials.ts';

/** A key without limits of its own is unrestricted. */
export interface ConfiguredKey extends Partial<KeyLimits> {
  readonly key: string;
  readonly tenant: string;
  readonly tier: Tier;
  readonly label?: string | undefined;
}

/** Returns the records of all tenants that the keys name, by tenant id. */
export function configuredTenants(keys: readonly ConfiguredKey[]): ReadonlyMap<string, TenantRecord> {
  const tenants = new Map<string, TenantRecord>();
  for (const { key, tenant: id, tier, label, permission = 'full', prefix = '', expiresAt = null } of keys) {
    const earlier = tenants.get(id)?.keys ?? [];
    tenants.set(id, {
      id,
      version: null,
      tier,
      suspended: false,
      ...DEFAULT_SETTINGS,
      keys: [
        ...earlier,
        { digest: digestOf(key), label: label ?? null, grant: grantOf({ permission, prefix, expiresAt }) },
      ],
      // Without a database there are no subscriptions.
      notices: null,
    });
  }
  return tenants;
}

/** A person, or all of a group of the identity provider, in one tenant. */
export type ConfiguredMember = { readonly tenant: string; readonly role: Role } & (
  | { /** In lower case */ readonly email: string }
  | { readonly group: string }
);

/** The properties of a person that decide about their roles. */
type Described = Pick<Known, 'issuer' | 'email' | 'groups'>;

export interface ConfiguredMembers {
  readonly memberships: Memberships;
  /**
   * Returns the role that a person who has signed in has in a tenant by now; null: none. The function is null if no
   * sign-in is configured: nobody has a role then.
   */
  readonly roleNow: ((tenant: string, person: Described) => Role | null) | null;
}

/**
 * Decides who may sign in to which tenant in the in-memory mode, with which role: as MEMBERS says; or, with the local
 * sign-in, every user of this machine to all tenants, and the owner of a key to its tenant
 * (docs/specification.md#without-a-database).
 * @param tenants the configured tenants by id
 */
export function configuredMembers(
  signIn: 'oidc' | 'local' | 'key' | 'none',
  members: readonly ConfiguredMember[],
  tenants: ReadonlyMap<string, TenantRecord>,
): ConfiguredMembers {
  const rolesOf = (person: Described): ReadonlyMap<string, Role> => {
    // A session of the other way to sign in, from before a change of the configuration, is worth nothing.
    if ((signIn === 'oidc') === (person.issuer === LOCAL_ISSUER)) return new Map();
    if (signIn === 'oidc') return configuredRoles(members, person);
    const open = [...tenants.values()].filter((tenant) => signIn === 'local' || holdsKey(tenant, person));
    return new Map(open.map(({ id }) => [id, 'owner']));
  };
  const membershipsOf = (person: Described): Membership[] =>
    Array.from(rolesOf(person), ([tenant, role]) => ({ tenant, name: tenant, role }));
  return {
    memberships: {
      admit: async (person) => {
        const memberships = membershipsOf(person);
        const [open] = memberships;
        if (open === undefined) throw new HoldfastError('forbidden', strangerFault(person.email));
        return { userId: digestOf(`${person.issuer}\n${person.subject}`), memberships, open, joined: [] };
      },
      of: async (person) => membershipsOf(person),
      // Nothing keeps it: the next sign-in opens the first tenant again.
      prefer: async () => {},
      // The configuration of an instance does not change: roleNow() checks each request of a session.
      settle: async () => {},
      names: async () => new Map(),
    },
    roleNow: signIn === 'none' ? null : (tenant, person) => rolesOf(person).get(tenant) ?? null,
  };
}

/** Returns true if a person has signed in with an unrestricted key of a tenant, which is still configured. */
const holdsKey = ({ keys }: TenantRecord, { groups }: Described): boolean =>
  keys.some(({ digest, grant }) => grant === null && groups.includes(digest));

const strangerFault = (email: string | null) =>
  email === null
    ? 'You belong to no tenant here: the identity provider has reported no verified e-mail address of yours.'
    : `${email} belongs to no tenant here. Ask those who run this service to add you.`;

/** Returns the tenants of a person, each with the person's highest role, in the order of the configuration. */
function configuredRoles(members: readonly ConfiguredMember[], person: Described): ReadonlyMap<string, Role> {
  const email = person.email?.toLowerCase();
  const roles = new Map<string, Role>();
  for (const member of members) {
    const isMeant = 'email' in member ? member.email === email : person.groups.includes(member.group);
    const role = isMeant ? higherRole(member.role, roles.get(member.tenant) ?? null) : null;
    if (role !== null) roles.set(member.tenant, role);
  }
  return roles;
}
