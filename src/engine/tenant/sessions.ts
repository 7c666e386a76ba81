/**
 * Sessions of people who have signed in (docs/specification.md#identity): kept beside their tenant's state, so that
 * scripts know them, and gone by themselves when they end.
 */
import { z } from 'zod';
import type { Credential } from '../../domain/tenants.ts';
import { eventsChannel, keyOfCredential } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import type { Engine } from '../call.ts';

const SessionUser = z.object({
  id: z.string(),
  issuer: z.string(),
  subject: z.string(),
  /** null: the provider gives none, or has not verified it */
  email: z.string().nullable(),
  name: z.string().nullable(),
  groups: z.array(z.string()),
  /**
   * ms since 1970 UTC until which the rest is believed to be so (identity/admins.ts); sessions of older versions have
   * none
   */
  describedUntilMs: z.number().default(0),
});

/** Who has signed in. */
export type SessionUser = z.infer<typeof SessionUser>;

/**
 * Begins a session.
 * @throws HoldfastError unavailable
 */
export async function beginSession(
  { redis }: Pick<Engine, 'redis'>,
  session: Credential,
  user: SessionUser,
  lifetimeMs: number,
): Promise<void> {
  await send(() => redis.set(keyOfCredential(session), JSON.stringify(user), 'PX', lifetimeMs));
}

/**
 * @returns who has the session; null where it has ended
 * @throws HoldfastError unavailable
 */
export async function readSession({ redis }: Pick<Engine, 'redis'>, session: Credential): Promise<SessionUser | null> {
  const text = await send(() => redis.get(keyOfCredential(session)));
  return text === null ? null : SessionUser.parse(JSON.parse(text));
}

/**
 * Ends a session, and its streams of events.
 * @throws HoldfastError unavailable
 */
export async function endSession({ redis }: Pick<Engine, 'redis'>, session: Credential): Promise<void> {
  const ended = await send(() => redis.del(keyOfCredential(session)));
  // Whoever makes sessions up causes no more than that.
  if (ended === 0) return;
  // Tells instances to look whether what the streams they hold were opened with is still valid.
  await send(() => redis.spublish(eventsChannel(session.tenant), ''));
}
