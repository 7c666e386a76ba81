/**
 * A person who has signed in, and their name in the audit trail.
 */
import type { Credential } from '../domain/tenants.ts';
import type { SessionUser } from '../engine/tenant/signIns.ts';

export interface Person {
  /** The person's session. */
  readonly credential: Credential;
  readonly user: SessionUser;
}

/** @returns the actor of an audit entry */
export const actorName = (role: 'user' | 'admin', { user: { email, subject } }: Person): string =>
  `${role}:${email ?? subject}`;
