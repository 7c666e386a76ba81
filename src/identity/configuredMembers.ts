/**
 * The members of tenants in the in-memory mode, from the configuration (docs/specification.md#without-a-database): who
 * may sign in to which tenant, with which role.
 */
import { LOCAL_ISSUER } from '../domain/names.ts';
import { higherRole, type Role } from '../domain/rights.ts';

/** A person, or all of a group of the identity provider, in one tenant. */
export type ConfiguredMember = { readonly tenant: string; readonly role: Role } & (
  | { /** In lower case */ readonly email: string }
  | { readonly group: string }
);

/** What the identity provider says of a person. */
interface Person {
  /** null: the provider gave none or has not verified it */
  readonly email: string | null;
  readonly groups: readonly string[];
}

/** Returns the tenants of a person, each with the person's highest role, in the order of the configuration. */
export function configuredRoles(members: readonly ConfiguredMember[], person: Person): ReadonlyMap<string, Role> {
  const email = person.email?.toLowerCase();
  const roles = new Map<string, Role>();
  for (const member of members) {
    const isMeant = 'email' in member ? member.email === email : person.groups.includes(member.group);
    const role = isMeant ? higherRole(member.role, roles.get(member.tenant) ?? null) : null;
    if (role !== null) roles.set(member.tenant, role);
  }
  return roles;
}

/**
 * Makes the function that returns the role that a person who has signed in has by now; null: none.
 * @param knowsTenant whether such a tenant is configured
 * @returns null if no sign-in is configured: nothing then says who has which role
 */
export function configuredRoleNow(
  {
    signIn,
    members,
  }: { readonly signIn: { readonly kind: 'oidc' | 'local' | 'none' }; readonly members: readonly ConfiguredMember[] },
  knowsTenant: (id: string) => boolean,
): ((tenant: string, person: Person & { readonly issuer: string }) => Role | null) | null {
  if (signIn.kind === 'none') return null;
  const isLocal = signIn.kind === 'local';
  return (tenant, person) => {
    if (isLocal !== (person.issuer === LOCAL_ISSUER) || !knowsTenant(tenant)) return null;
    return isLocal ? 'owner' : (configuredRoles(members, person).get(tenant) ?? null);
  };
}
