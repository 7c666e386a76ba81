/**
 * Which tenants a person belongs to, and what they may do there (docs/specification.md#members). The database knows it,
 * or without one the configuration. The sign-in and the switcher of the dashboard use only this.
 */
import type { Role } from './rights.ts';

/** A person as the identity provider describes them. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
  /** null: the provider gave none, or has not verified it */
  readonly email: string | null;
  readonly name: string | null;
  readonly groups: readonly string[];
}

/** A person who has signed in, as their session knows them. */
export interface Known extends Person {
  readonly id: string;
}

export interface Membership {
  readonly tenant: string;
  /** The name of the tenant. */
  readonly name: string;
  /** The higher one of the role that an owner gave and the role that groups of the provider give. */
  readonly role: Role;
}

/** A tenant that a sign-in has made a person a member of, since their address was invited. */
export interface Joined {
  readonly tenant: string;
  readonly name: string;
  /** Who invited them, as in the audit trail. */
  readonly by: string;
}

/** The result of a sign-in. */
export interface Admitted {
  readonly userId: string;
  /** At least one. */
  readonly memberships: readonly Membership[];
  /** The membership whose tenant the session begins in. */
  readonly open: Membership;
  readonly joined: readonly Joined[];
}

export interface Memberships {
  /**
   * Takes in what the identity provider says of a person who signs in: their groups may give or take roles, and
   * invitations of their address are accepted.
   * @param address the address that the request came from
   * @throws HoldfastError forbidden if the person belongs to no tenant; unavailable
   */
  admit(person: Person, address: string): Promise<Admitted>;
  /** Lists a person's memberships. @throws HoldfastError unavailable */
  of(person: Known): Promise<readonly Membership[]>;
  /** Makes the person's next sign-in open a tenant. @throws HoldfastError unavailable */
  prefer(person: Known, tenant: string): Promise<void>;
  /**
   * Gives the person's sessions in a tenant the role that they have there by now, or ends them if they have none. To be
   * called after a session has begun: the membership may have ended since it was read.
   * @throws HoldfastError unavailable
   */
  settle(person: Known, tenant: string): Promise<void>;
  /**
   * Finds the names of members of a tenant, for pages that show who holds what.
   * @returns e-mail address → name, of those that have one
   * @throws HoldfastError unavailable
   */
  names(tenant: string, emails: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
