/**
 * Sign-in sessions: people who have signed in to the dashboard (docs/specification.md#dashboard-and-sign-in). They are
 * Redis keys beside their tenant's state, so that scripts can check them, and they expire.
 */
import { z } from 'zod';
import { RIGHTS_OF_ROLE, ROLES, rightsText } from '../../domain/rights.ts';
import type { Credential } from '../../domain/tenants.ts';
import { eventsChannel, keyOfCredential } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import type { Engine } from '../call.ts';

const SessionUser = z.object({
  /** In sessions of the release before, people were the owners of their tenants. */
  role: z.enum(ROLES).default('owner'),
  id: z.string(),
  issuer: z.string(),
  subject: z.string(),
  /** null: the provider sent none, or has not verified it */
  email: z.string().nullable(),
  name: z.string().nullable(),
  groups: z.array(z.string()),
  /**
   * ms since 1970 UTC: the provider's description of the user is trusted until then (identity/admins.ts); 0 in sessions
   * of older versions
   */
  describedUntilMs: z.number().default(0),
});

/** The person who has signed in. */
export type SessionUser = z.infer<typeof SessionUser>;

/** The name of a person in events and in the audit trail. */
export const actorNameOf = (as: 'person' | 'admin', { email, subject }: Pick<SessionUser, 'email' | 'subject'>) =>
  `${as}:${email ?? subject}`;

/**
 * Begins a sign-in session.
 * @throws HoldfastError unavailable
 */
export async function beginSignIn(
  { redis }: Pick<Engine, 'redis'>,
  session: Credential,
  user: SessionUser,
  lifetimeMs: number,
): Promise<void> {
  await send(() => redis.set(keyOfCredential(session), textOf(user), 'PX', lifetimeMs));
}

/** A user as Redis has them: scripts read the rights, which come first (lua/lib/admit.lua). */
const textOf = (user: SessionUser): string =>
  JSON.stringify({ rights: rightsText(RIGHTS_OF_ROLE[user.role]), actor: actorNameOf('person', user), ...user });

/**
 * @returns the user of the session; null if it has ended
 * @throws HoldfastError unavailable
 */
export async function readSignIn({ redis }: Pick<Engine, 'redis'>, session: Credential): Promise<SessionUser | null> {
  const text = await send(() => redis.get(keyOfCredential(session)));
  return text === null ? null : SessionUser.parse(JSON.parse(text));
}

/**
 * Ends a sign-in session, and its streams of events.
 * @throws HoldfastError unavailable
 */
export async function endSignIn({ redis }: Pick<Engine, 'redis'>, session: Credential): Promise<void> {
  const ended = await send(() => redis.del(keyOfCredential(session)));
  // An invented session must not cause a message to all instances.
  if (ended === 0) return;
  // An empty message makes instances check the credentials of their event streams.
  await send(() => redis.spublish(eventsChannel(session.tenant), ''));
}
