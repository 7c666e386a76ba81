/**
 * Derived tokens (docs/specification.md#jwt-exchange): issues them, ends one that its holder is done with, and ends
 * those of a registration when the tenant changes or removes it. Redis keeps sets of tokens for each minute in which
 * they were issued. A set expires after its last token, so nothing has to be cleaned up, and no set is larger than a
 * sixteenth of a minute's quota of writes.
 */
import { HoldfastError } from '../../domain/errors.ts';
import type { Quota } from '../../domain/quota.ts';
import { type Credential, type TokenGrant, tokenText } from '../../domain/tenants.ts';
import type { RedisClient } from '../../redis/client.ts';
import { eventsChannel, keyOfCredential } from '../../redis/keys.ts';
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

/** Time for which a set of tokens is kept after its last token was added. */
const KEEP_TOKENS_MS = MAX_TOKEN_MS + MINUTE_MS;

/**
 * Returns the name of the set for a token that is issued now, without the tenant's prefix.
 * @param issuer the id of the registration
 */
function tokenSetNow(issuer: string, { credentialKey }: Credential): string {
  const digit = DIGEST.exec(credentialKey)?.groups?.digit;
  if (digit === undefined) throw new TypeError('not the credential of a token');
  return tokenSet(issuer, Math.floor(Date.now() / MINUTE_MS), digit);
}

const tokenSet = (issuer: string, minute: number, digit: string): string => `tokens:${issuer}:${minute}:${digit}`;

/** Has instances check the credentials of a tenant's event streams, by an empty message. */
const checkStreams = (redis: RedisClient, tenant: string) => send(() => redis.spublish(eventsChannel(tenant), ''));

/**
 * Ends all tokens that were exchanged by a registration, and their event streams.
 * @param issuer the id of the registration
 * @throws HoldfastError unavailable
 */
export async function endTokens(redis: RedisClient, tenant: string, issuer: string): Promise<void> {
  const thisMinute = Math.floor(Date.now() / MINUTE_MS);
  for (let minute = thisMinute - LIVE_MINUTES - CLOCK_SKEW_MINUTES; minute <= thisMinute + CLOCK_SKEW_MINUTES; minute++)
    await Promise.all(DIGITS.map((digit) => endTokensIn(redis, tenant, tokenSet(issuer, minute, digit))));
  await checkStreams(redis, tenant);
}

/**
 * Ends a token, and its event streams. The set that lists it expires by itself.
 * @throws HoldfastError unauthenticated if it had ended; unavailable
 */
export async function endToken({ redis }: Pick<Engine, 'redis'>, token: Credential): Promise<void> {
  // A retry of a command that was carried out finds nothing, and is right, too.
  let isRetry = false;
  const ended = await send((mayHaveRun) => {
    isRetry = mayHaveRun;
    return redis.unlink(keyOfCredential(token));
  });
  if (ended === 0 && !isRetry) throw new HoldfastError('unauthenticated', 'The token has ended.');
  await checkStreams(redis, token.tenant);
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
 * @param by the registration by which it was exchanged: its id, and what it lets the token do
 * @param lifetimeMs at most MAX_TOKEN_MS
 * @throws HoldfastError upgrade if the tenant's tier has no such tokens; forbidden if the tenant is suspended;
 * unauthenticated if there is no such tenant; unavailable; LimitError
 */
export async function issueToken(
  engine: Engine,
  token: Credential,
  { id, ...grant }: TokenGrant & { readonly id: string },
  lifetimeMs: number,
): Promise<readonly Quota[]> {
  const tokenSet = tokenSetNow(id, token);
  const args = [lifetimeMs, KEEP_TOKENS_MS, tokenText(grant)];
  return (await callCharged(engine, 'issueToken', token, () => args, { tokenSet })).quota;
}
