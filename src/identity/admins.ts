/**
 * Decides who may act on all tenants: people on the list of administrators, or in their group. An API key never may.
 * The rights come from what the identity provider said at the sign-in, and that holds for 15 minutes only: a person may
 * leave the group.
 */

export interface AdminRule {
  /** An entry with an `@` is an e-mail address that the provider has verified; any other is a subject. */
  readonly admins: readonly string[];
  /** A group of the identity provider; undefined: none */
  readonly adminGroup: string | undefined;
}

/** A person as the identity provider described them at the sign-in. */
interface Person {
  readonly subject: string;
  /** null: none, or none that the provider has verified */
  readonly email: string | null;
  readonly groups: readonly string[];
  /** ms since 1970 UTC until which the description is believed */
  readonly describedUntilMs: number;
}

/** How long a provider's description of a person is believed. */
export const DESCRIBED_MS = 900_000;

/** `lapsed`: was an administrator at the sign-in, and has to sign in again to be one. */
export type AdminStanding = 'admin' | 'lapsed' | 'none';

export function adminStanding({ admins, adminGroup }: AdminRule, person: Person): AdminStanding {
  const { subject, email, groups, describedUntilMs } = person;
  // A subject may look like somebody else's address: some providers let people choose it.
  const isNamed = admins.some((entry) => (entry.includes('@') ? entry === email : entry === subject));
  if (!isNamed && (adminGroup === undefined || !groups.includes(adminGroup))) return 'none';
  return Date.now() < describedUntilMs ? 'admin' : 'lapsed';
}
