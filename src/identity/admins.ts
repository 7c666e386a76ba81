/**
 * Decides who may act on all tenants: people on the list of administrators or in their group, never an API key. The
 * rights come from the identity provider's description at sign-in, which is trusted for 15 minutes: a person may leave
 * the group.
 */

export interface AdminRule {
  /** An entry with an `@` is an e-mail address that the provider has verified; any other is a subject. */
  readonly admins: readonly string[];
  /** A group of the identity provider; undefined: none */
  readonly adminGroup: string | undefined;
}

/** A person as the identity provider described them at sign-in. */
interface Person {
  readonly subject: string;
  /** null: the provider gave none or has not verified it */
  readonly email: string | null;
  readonly groups: readonly string[];
  /** ms since 1970 UTC until which the description is trusted */
  readonly describedUntilMs: number;
}

/** Time for which a provider's description of a person is trusted. */
export const DESCRIBED_MS = 900_000;

/** `lapsed`: the person was an administrator at sign-in and has to sign in again to act as one. */
export type AdminStanding = 'admin' | 'lapsed' | 'none';

export function adminStanding({ admins, adminGroup }: AdminRule, person: Person): AdminStanding {
  const { subject, email, groups, describedUntilMs } = person;
  // A subject may look like somebody else's address: some providers let people choose it.
  const isNamed = admins.some((entry) => (entry.includes('@') ? entry === email : entry === subject));
  if (!isNamed && (adminGroup === undefined || !groups.includes(adminGroup))) return 'none';
  return Date.now() < describedUntilMs ? 'admin' : 'lapsed';
}
