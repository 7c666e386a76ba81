/**
 * Who carries out an operation on a tenant's keys, settings, members and so on: a person who has signed in, or a
 * management token. The operation needs a right of theirs, and the audit trail names them.
 */
import type { Credential } from '../domain/tenants.ts';

export interface Actor {
  /** A sign-in session, or a management token. */
  readonly credential: Credential;
  /** The id of the person; null: a management token */
  readonly userId: string | null;
  /** `person:<e-mail address or subject>`, `token:<label>` or `admin:<e-mail address or subject>` */
  readonly actor: string;
  /** The address that the request came from; for IPv6 its /64. */
  readonly address: string;
}
