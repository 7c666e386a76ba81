/**
 * Runs a verb's script for a credential, and does what a script asks for in turn: it loads a tenant that Redis does not
 * know, lets a backlog of due reservations be ended piece by piece, and writes the expiry index ahead of a lease.
 */
import { z } from 'zod';
import { HoldfastError, type LimitError } from '../domain/errors.ts';
import { LIMITED_BY, type LimitType, type Quota, tierLimitError } from '../domain/limits.ts';
import type { Credential } from '../domain/tenants.ts';
import { TIERS, type TierTable } from '../domain/tiers.ts';
import type { RedisClient } from '../redis/client.ts';
import {
  answerKey,
  expiryKey,
  expiryShard,
  KEYS_OF,
  keysOfRequest,
  type TenantVerb,
  tenantKey,
} from '../redis/keys.ts';
import type { Replication } from '../redis/replication.ts';
import { parseReply, toInteger, toMs, toText } from '../redis/reply.ts';
import { send } from '../redis/send.ts';
import { newToken } from './reservations/releaseToken.ts';

export interface Engine {
  readonly redis: RedisClient;
  /** Confirms writes on replicas before they are answered. */
  readonly replication?: Replication | undefined;
  /** Puts a tenant into Redis that has lost it or never had it; false if there is no such tenant. */
  readonly loadTenant: (id: string) => Promise<boolean>;
  /** What each tier allows. */
  readonly tiers: TierTable;
}

/**
 * Verbs whose scripts charge the quota of writes, and tell what is left of it. All but `charge` take flags
 * (lua/lib/flags.lua).
 */
const CHARGED = ['charge', 'delete', 'issueToken', 'register', 'renew', 'reserve', 'reset', 'transaction', 'unreserve'];
const isCharged = (verb: string) => CHARGED.includes(verb);

/** Times that a call loads a tenant that Redis loses again and again. */
const MAX_LOADS = 5;

/** How long a call goes on ending due reservations before it gives up, in ms. */
const MAX_BACKLOG_MS = 2000;

/** The definitions changed after this change was planned: plan again. */
export class StaleError extends Error {}

type GuardedVerb = Exclude<
  TenantVerb,
  'activity' | 'closeStreams' | 'copyDefinitions' | 'loadTenant' | 'renewStreams' | 'sweep'
>;

export interface CallOptions {
  /** Whether requests of several callers share the call. */
  readonly isShared?: boolean;
  /** The set that a token is put into (tokens.ts). */
  readonly tokenSet?: string;
}

/**
 * Calls a script of lua/commands that begins with admit().
 * @param args builds its ARGV after the credential and the flags. Called again for each try; `indexed` is '' at first,
 * then what was written to the expiry index (lua/lib/index.lua)
 * @returns what follows 'OK' in its reply, and the quota, which is noted in the credential
 * @throws HoldfastError unauthenticated, forbidden if the tenant is suspended, unavailable; refused, unregistered or
 * upgrade if the script says so; LimitError; StaleError
 */
export async function call(
  engine: Engine,
  verb: GuardedVerb | 'activeBuffer',
  credential: Credential,
  args: (indexed: string) => (string | number)[],
  { isShared = false, tokenSet = '' }: CallOptions = {},
): Promise<unknown[]> {
  const { tenant, asker } = credential;
  const replication = isCharged(verb) ? engine.replication : undefined;
  const redis = replication?.redis ?? engine.redis;
  const script = verb === 'activeBuffer' ? 'active' : verb;
  const isRemembered = KEYS_OF[script].some((name) => name === 'answer');
  const keys = keysOfRequest(script, credential, isRemembered ? answerKey(newToken()) : tokenSet);
  const hasFlags = isCharged(verb) && verb !== 'charge';
  const flagsOf = (mayHaveRun: boolean) => (hasFlags ? [(mayHaveRun ? 'r' : '') + (isShared ? 's' : '')] : []);
  let indexed = '';
  let loads = 0;
  let backlogEnds = 0;
  for (;;) {
    const reply = await send((mayHaveRun) =>
      redis[`hf_${verb}`](...keys, asker, ...flagsOf(mayHaveRun), ...args(indexed)),
    );
    const [code, ...rest] = parseReply(reply);
    switch (code) {
      case 'OK':
        await replication?.confirm(tenantKey(tenant));
        if (!isCharged(verb)) return rest;
        credential.quota = toQuota(toText(rest.shift()));
        return rest;
      case 'AGAIN':
        backlogEnds ||= performance.now() + MAX_BACKLOG_MS;
        if (performance.now() > backlogEnds)
          throw new HoldfastError(
            'unavailable',
            'Too many expired reservations are being cleaned up. Repeat the call.',
          );
        continue;
      case 'INDEX': {
        const [ms, swept] = rest;
        await lowerIndex(redis, replication, tenant, toMs(ms));
        indexed = `${toMs(ms)} ${toInteger(swept)}`;
        continue;
      }
      case 'NO_TENANT':
        if (!(await engine.loadTenant(tenant))) throw noValidKey();
        // There is such a tenant, so Redis has lost it again meanwhile.
        if (++loads > MAX_LOADS)
          throw new HoldfastError('unavailable', "Redis keeps losing this tenant's data. Repeat the call.");
        continue;
      case 'NO_KEY':
        throw noValidKey();
      case 'SUSPENDED':
        throw new HoldfastError('forbidden', 'This tenant is suspended.');
      case 'STALE':
        throw new StaleError();
      case 'UNKNOWN':
        throw new HoldfastError(
          'unavailable',
          'The outcome is unknown: the reply was lost. Look before you repeat the call.',
        );
      case 'FREE':
        throw new HoldfastError('upgrade', 'Tokens are exchanged from tier Starter on.');
      case 'LIMIT':
        throw limitError(engine.tiers, rest);
      case 'REFUSED':
        throw new HoldfastError('refused', toText(rest[0]));
      case 'UNREGISTERED':
        throw new HoldfastError('unregistered', 'No such resource is registered.');
      default:
        throw new TypeError(`${verb} returned an unknown code`);
    }
  }
}

/** @param reply what refuse() of lua/lib/refuse.lua returns, after its code */
function limitError(tiers: TierTable, reply: readonly unknown[]): LimitError {
  const [limitType, limit, tier, asked, retryAfter, left] = LimitReply.parse(
    reply.map((one) => (one instanceof Buffer ? one.toString() : one)),
  );
  return tierLimitError(tiers, { limitType, limit, tier, asked, retryAfter, isUsedUp: left === 0 });
}

const LimitReply = z.tuple([
  z.enum(Object.keys(LIMITED_BY) as LimitType[]),
  z.coerce.number(),
  z.enum(TIERS),
  z.coerce.number(),
  z.coerce.number(),
  z.coerce.number(),
]);

/** @param reply quota of lua/lib/quota.lua */
function toQuota(reply: string): Quota[] {
  const numbers = reply.split(' ').map(toInteger);
  return (['OperationsPerMinute', 'OperationsPerDay'] as const).flatMap((limitType, i) => {
    const [limit = -1, remaining = 0, resetS = 0] = numbers.slice(3 * i);
    return limit === -1 ? [] : [{ limitType, limit, remaining, resetS }];
  });
}

const noValidKey = () => new HoldfastError('unauthenticated', 'The X-Api-Key header holds no valid key.');

/** Writes the expiry index; like the lease that follows, it must outlast its primary. */
async function lowerIndex(
  redis: RedisClient,
  replication: Replication | undefined,
  tenant: string,
  ms: number,
): Promise<void> {
  const shard = expiryKey(expiryShard(tenant));
  await send(() => redis.hf_lowerIndex(shard, tenant, ms));
  await replication?.confirm(shard);
}
