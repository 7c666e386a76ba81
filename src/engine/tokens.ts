/**
 * Finds the derived tokens that an issuer's JWTs were exchanged for, so that they end when the tenant removes the issuer. Redis has a set of
 * them for each minute in which they were issued, which expires once the last of them has ended. So a set holds what one minute's quota
 * of writes allows at most, and nothing has to be cleaned up.
 */
import { createHash } from 'node:crypto';
import { eventsChannel } from './keys.ts';
import { type RedisClient, send } from './redis.ts';

/** The longest that a derived token lives. */
export const LONGEST_TOKEN_MS = 900_000;

const MINUTE_MS = 60_000;
/** Minutes by which the clocks of two instances may differ. */
const CLOCKS_DIFFER = 2;
const LIVE_MINUTES = LONGEST_TOKEN_MS / MINUTE_MS;
/** Tokens that are ended at once: about 1 ms of Redis. */
const PAGE = 500;

/** An issuer as tenants register it. */
export interface TokenSource {
  readonly issuer: string;
  readonly audience: string;
}

/** How long a set of tokens is kept after the last token was put into it, in ms. */
export const KEEP_TOKENS_MS = LONGEST_TOKEN_MS + MINUTE_MS;

/** The set of the tokens that an issuer's JWTs are exchanged for now, without the tenant's prefix. */
export const tokensNow = (source: TokenSource): string => tokensOf(source, Math.floor(Date.now() / MINUTE_MS));

function tokensOf({ issuer, audience }: TokenSource, minute: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, audience]))
    .digest('hex');
  return `tokens:${digest.slice(0, 32)}:${minute}`;
}

/**
 * Ends all tokens that an issuer's JWTs were exchanged for, and their event streams.
 * @throws HoldfastError unavailable
 */
export async function endTokens(redis: RedisClient, tenant: string, source: TokenSource): Promise<void> {
  const thisMinute = Math.floor(Date.now() / MINUTE_MS);
  const key = (rest: string) => `{${tenant}}:${rest}`;
  for (let minute = thisMinute - LIVE_MINUTES - CLOCKS_DIFFER; minute <= thisMinute + CLOCKS_DIFFER; minute++) {
    const set = key(tokensOf(source, minute));
    for (;;) {
      const tokens = await send(() => redis.srandmember(set, PAGE));
      if (tokens.length === 0) break;
      // Tokens first: if this is cut off, the set still names those that are left.
      await send(() => redis.unlink(...tokens.map(key)));
      await send(() => redis.srem(set, ...tokens));
    }
  }
  // Tells instances to check what their event streams were opened with.
  await send(() => redis.spublish(eventsChannel(tenant), ''));
}
