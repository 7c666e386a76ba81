/**
 * Finds the person of a sign-in session. Without a database the configuration says who may sign in, and it may have
 * changed since: a session whose person has another role now, or none, ends (docs/specification.md#without-a-database).
 */
import type { Role } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/engine.ts';
import { endSignIn, readSignIn, type SessionUser } from '../engine/tenant/signIns.ts';

/** Returns the role that a person has in a tenant by now; null: none */
export type RoleNow = (tenant: string, person: Pick<SessionUser, 'issuer' | 'email' | 'groups'>) => Role | null;

export interface SignedInDeps {
  readonly engine: Engine;
  /** null: sessions have the role of the moment, as with a database */
  readonly roleNow: RoleNow | null;
}

/**
 * @returns the user of the session; null if it has ended
 * @throws HoldfastError unavailable
 */
export async function signedInUser(
  { engine, roleNow }: SignedInDeps,
  session: Credential,
): Promise<SessionUser | null> {
  const user = await readSignIn(engine, session);
  if (user === null || roleNow === null || roleNow(session.tenant, user) === user.role) return user;
  await endSignIn(engine, session);
  return null;
}
