/**
 * Who may act on all tenants (decisions, section 6): an identity on the list of administrators, or in their group. An API key never is one.
 */

export interface AdminRule {
  /** Subjects, or e-mail addresses that the identity provider has verified. */
  readonly admins: readonly string[];
  /** Of the identity provider; undefined: none */
  readonly adminGroup: string | undefined;
}

export const isAdmin = (
  { admins, adminGroup }: AdminRule,
  {
    subject,
    email,
    groups,
  }: { readonly subject: string; readonly email: string | null; readonly groups: readonly string[] },
): boolean =>
  admins.includes(subject) ||
  (email !== null && admins.includes(email)) ||
  (adminGroup !== undefined && groups.includes(adminGroup));
