/**
 * Finds the derived tokens that an issuer's JWTs were exchanged for, so that they end when the tenant removes the
 * issuer. Redis has sets of them for each minute in which they were issued, which expire once the last of them has
 * ended: nothing has to be cleaned up, and no set holds more than a sixteenth of one minute's quota of writes.
 */
import { createHash } from 'node:crypto';
import type { Credential } from '../../domain/tenants.ts';
import type { RedisClient } from '../../redis/client.ts';
import { eventsChannel } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';

/** The longest that a derived token lives. */
export const LONGEST_TOKEN_MS = 900_000;

const MINUTE_MS = 60_000;
/** Minutes by which the clocks of two instances may differ. */
const CLOCKS_DIFFER = 2;
const LIVE_MINUTES = LONGEST_TOKEN_MS / MINUTE_MS;
/** Tokens that are ended at once: about 1 ms of Redis. */
const PAGE = 500;
/** The sets of a minute, by the first digit of the token's digest. */
const DIGITS = [...'0123456789abcdef'];
const DIGEST = /^token:(?<digit>[0-9a-f])/;

/** An issuer as tenants register it. */
export interface TokenSource {
  readonly issuer: string;
  readonly audience: string;
}

/** How long a set of tokens is kept after the last token was put into it, in ms. */
export const KEEP_TOKENS_MS = LONGEST_TOKEN_MS + MINUTE_MS;

/** The set that a token belongs into that is issued now, without the tenant's prefix. */
export function tokenSetNow(source: TokenSource, { credentialKey }: Credential): string {
  const digit = DIGEST.exec(credentialKey)?.groups?.digit;
  if (digit === undefined) throw new TypeError('not the credential of a token');
  return tokenSet(source, Math.floor(Date.now() / MINUTE_MS), digit);
}

function tokenSet({ issuer, audience }: TokenSource, minute: number, digit: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, audience]))
    .digest('hex');
  return `tokens:${digest.slice(0, 32)}:${minute}:${digit}`;
}

/**
 * Ends all tokens that an issuer's JWTs were exchanged for, and their event streams.
 * @throws HoldfastError unavailable
 */
export async function endTokens(redis: RedisClient, tenant: string, source: TokenSource): Promise<void> {
  const thisMinute = Math.floor(Date.now() / MINUTE_MS);
  for (let minute = thisMinute - LIVE_MINUTES - CLOCKS_DIFFER; minute <= thisMinute + CLOCKS_DIFFER; minute++)
    await Promise.all(DIGITS.map((digit) => endTokensIn(redis, tenant, tokenSet(source, minute, digit))));
  // Tells instances to check what their event streams were opened with.
  await send(() => redis.spublish(eventsChannel(tenant), ''));
}

async function endTokensIn(redis: RedisClient, tenant: string, name: string): Promise<void> {
  const key = (rest: string) => `{${tenant}}:${rest}`;
  const set = key(name);
  for (;;) {
    const tokens = await send(() => redis.srandmember(set, PAGE));
    if (tokens.length === 0) return;
    // Tokens first: if this is cut off, the set still names those that are left.
    await send(() => redis.unlink(...tokens.map(key)));
    await send(() => redis.srem(set, ...tokens));
  }
}
