/**
 * Derived tokens (docs/specification.md#jwt-exchange): issues them, and ends those of an issuer when the tenant removes
 * it. Redis keeps sets of tokens for each minute in which they were issued. A set expires after its last token, so
 * nothing has to be cleaned up, and no set is larger than a sixteenth of a minute's quota of writes.
 */
import { createHash } from 'node:crypto';
import type { Quota } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { RedisClient } from '../../redis/client.ts';
import { eventsChannel } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';

/** The longest lifetime of a derived token. */
export const MAX_TOKEN_MS = 900_000;

const MINUTE_MS = 60_000;
/** Largest difference between the clocks of two instances. */
const CLOCK_SKEW_MINUTES = 2;
const LIVE_MINUTES = MAX_TOKEN_MS / MINUTE_MS;
/** Number of tokens that are ended at a time, which takes Redis about 1 ms. */
const PAGE = 500;
/** Each minute has a set for each first digit of the tokens' digests. */
const DIGITS = [...'0123456789abcdef'];
const DIGEST = /^token:(?<digit>[0-9a-f])/;

/** The issuer and audience of the JWT that a token was exchanged for. */
export interface TokenSource {
  readonly issuer: string;
  readonly audience: string;
}

/** Time for which a set of tokens is kept after its last token was added. */
const KEEP_TOKENS_MS = MAX_TOKEN_MS + MINUTE_MS;

/** Returns the name of the set for a token that is issued now, without the tenant's prefix. */
function tokenSetNow(source: TokenSource, { credentialKey }: Credential): string {
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
 * Ends all tokens that were exchanged for an issuer's JWTs, and their event streams.
 * @throws HoldfastError unavailable
 */
export async function endTokens(redis: RedisClient, tenant: string, source: TokenSource): Promise<void> {
  const thisMinute = Math.floor(Date.now() / MINUTE_MS);
  for (let minute = thisMinute - LIVE_MINUTES - CLOCK_SKEW_MINUTES; minute <= thisMinute + CLOCK_SKEW_MINUTES; minute++)
    await Promise.all(DIGITS.map((digit) => endTokensIn(redis, tenant, tokenSet(source, minute, digit))));
  // An empty message makes instances check the credentials of their event streams.
  await send(() => redis.spublish(eventsChannel(tenant), ''));
}

async function endTokensIn(redis: RedisClient, tenant: string, name: string): Promise<void> {
  const key = (rest: string) => `{${tenant}}:${rest}`;
  const set = key(name);
  for (;;) {
    const tokens = await send(() => redis.srandmember(set, PAGE));
    if (tokens.length === 0) return;
    // Tokens first: if this is interrupted, the set still lists the remaining tokens.
    await send(() => redis.unlink(...tokens.map(key)));
    await send(() => redis.srem(set, ...tokens));
  }
}

/**
 * Issues derived tokens (docs/specification.md#jwt-exchange). Redis keeps their digests until they expire.
 * @param token the token, which is valid from now on
 * @param source the issuer and audience of the JWT that it was exchanged for
 * @param lifetimeMs at most MAX_TOKEN_MS
 * @throws HoldfastError upgrade if the tenant's tier has no such tokens; forbidden if the tenant is suspended;
 * unauthenticated if there is no such tenant; unavailable; LimitError
 */
export async function issueToken(
  engine: Engine,
  token: Credential,
  source: TokenSource,
  lifetimeMs: number,
): Promise<readonly Quota[]> {
  const tokenSet = tokenSetNow(source, token);
  const args = [lifetimeMs, KEEP_TOKENS_MS];
  return (await callCharged(engine, 'issueToken', token, () => args, { tokenSet })).quota;
}
