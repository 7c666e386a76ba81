/**
 * Counts messages to a person by Slack, and to a device by push: at most so many are sent in an hour
 * (docs/specification.md#personal-notices).
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisClient } from '../redis/client.ts';
import { PERSONAL_MESSAGES_PREFIX } from '../redis/keys.ts';
import { send } from '../redis/send.ts';

/** Maximum number of messages in an hour. */
export const MAX_AN_HOUR = 30;

/** The place of a message. */
export interface Place {
  /** True if it is the last one of the hour. */
  readonly isLast: boolean;
  readonly giveBack: () => Promise<void>;
}

/**
 * Makes what takes the place of a message. It takes who gets the message, and returns null if no place is left.
 * @throws HoldfastError unavailable
 */
export function makePlaces(redis: RedisClient): (whom: string) => Promise<Place | null> {
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: PERSONAL_MESSAGES_PREFIX,
    points: MAX_AN_HOUR,
    duration: 3600,
  });
  return async (whom) => {
    try {
      const { consumedPoints } = await send(() => limiter.consume(whom));
      const giveBack = async () => void (await send(() => limiter.reward(whom)));
      return { isLast: consumedPoints === MAX_AN_HOUR, giveBack };
    } catch (error) {
      if (error instanceof RateLimiterRes) return null;
      throw error;
    }
  };
}
