/**
 * Sign-ins that have begun: what must be remembered until the identity provider sends the person back, to whichever instance.
 */
import { type RedisClient, send } from './redis.ts';

/** The time that a person has to sign in. */
const LIFETIME_MS = 600_000;

const signInKey = (state: string) => `{signin:${state}}`;

/** @throws HoldfastError unavailable */
export async function rememberSignIn(redis: RedisClient, state: string, remembered: string): Promise<void> {
  await send(() => redis.set(signInKey(state), remembered, 'PX', LIFETIME_MS));
}

/**
 * @returns what was remembered; null where nothing was, or it took too long, or it was asked for before
 * @throws HoldfastError unavailable
 */
export const takeSignIn = (redis: RedisClient, state: string): Promise<string | null> =>
  send(() => redis.getdel(signInKey(state)));
