/**
 * Runs a verb's script for whoever asks, and does what a script asks for in turn: it loads a tenant that Redis does not
 * know, lets a backlog of due reservations be ended bite by bite, and writes the expiry index ahead of a lease.
 */
import { z } from 'zod';
import { HoldfastError, type LimitError } from '../domain/errors.ts';
import { LIMITED_BY, type LimitType, type Quota, tierLimitError } from '../domain/limits.ts';
import type { Credential } from '../domain/tenants.ts';
import { TIERS, type TierTable } from '../domain/tiers.ts';
import { expiryKey, expiryShard, tenantKey } from './keys.ts';
import { type RedisClient, send } from './redis.ts';
import type { Replication } from './replication.ts';
import { parseReply, toInteger, toMs, toText } from './reply.ts';
import type { Verb } from './scripts.ts';

export interface Engine {
  readonly redis: RedisClient;
  /** Where writes are to be answered only once replicas have them. */
  readonly replication?: Replication | undefined;
  /** Puts a tenant into Redis that has lost it or never had it; false where there is no such tenant. */
  readonly loadTenant: (id: string) => Promise<boolean>;
  /** What each tier allows. */
  readonly tiers: TierTable;
}

/** Verbs whose scripts charge the quota of writes, and tell what is left of it. */
const CHARGED = ['charge', 'delete', 'issueToken', 'register', 'renew', 'reserve', 'reset', 'transaction', 'unreserve'];
const isCharged = (verb: string) => CHARGED.includes(verb);

/** Times that a call loads a tenant that Redis loses again and again. */
const MOST_LOADS = 5;

/** ms that a call may go on ending due reservations before it gives up. */
const BACKLOG_PATIENCE_MS = 2000;

/** What a script was to change is not, or not any more, of the version for which the change was planned. */
export class StaleError extends Error {}

type GuardedVerb = Exclude<
  Verb,
  | 'activity'
  | 'closeStreams'
  | 'copyDefinitions'
  | 'loadTenant'
  | 'lowerIndex'
  | 'probe'
  | 'raiseIndex'
  | 'renewStreams'
  | 'sweep'
>;

/**
 * Calls a script of lua/commands that begins with the gate.
 * @param args its ARGV after who asks; made anew for each try from the time (ms) that the expiry index holds, '' at first
 * @returns what follows 'OK' in its reply, and the quota, which is noted in the credential
 * @throws HoldfastError unauthenticated, forbidden where the tenant is suspended, unavailable; refused, unregistered or upgrade where
 * the script says so; LimitError; StaleError
 */
export async function call(
  engine: Engine,
  verb: GuardedVerb | 'activeBuffer',
  credential: Credential,
  args: (indexed: number | '') => (string | number)[],
): Promise<unknown[]> {
  const { tenant, asker } = credential;
  const key = tenantKey(tenant);
  const replication = isCharged(verb) ? engine.replication : undefined;
  const redis = replication?.redis ?? engine.redis;
  let indexed: number | '' = '';
  let loads = 0;
  let patienceEnds = 0;
  for (;;) {
    const [code, ...rest] = parseReply(await send(() => redis[`hf_${verb}`](key, asker, ...args(indexed))));
    switch (code) {
      case 'OK':
        await replication?.confirm(key);
        if (!isCharged(verb)) return rest;
        credential.quota = toQuota(toText(rest.shift()));
        return rest;
      case 'AGAIN':
        patienceEnds ||= performance.now() + BACKLOG_PATIENCE_MS;
        if (performance.now() > patienceEnds)
          throw new HoldfastError('unavailable', 'Expired reservations are being ended.');
        continue;
      case 'INDEX':
        indexed = toMs(rest[0]);
        await lowerIndex(engine, tenant, indexed);
        continue;
      case 'NO_TENANT':
        if (!(await engine.loadTenant(tenant))) throw noValidKey();
        // There is such a tenant, so Redis has lost it again meanwhile.
        if (++loads > MOST_LOADS)
          throw new HoldfastError('unavailable', 'The reservation store loses what it is given.');
        continue;
      case 'NO_KEY':
        throw noValidKey();
      case 'SUSPENDED':
        throw new HoldfastError('forbidden', 'This tenant is suspended.');
      case 'STALE':
        throw new StaleError();
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

/** @param reply what refuse() of lua/includes/refuse.lua returns, after its code */
function limitError(tiers: TierTable, reply: readonly unknown[]): LimitError {
  const [limitType, limit, tier, asked, retryAfter] = LimitReply.parse(
    reply.map((one) => (one instanceof Buffer ? one.toString() : one)),
  );
  return tierLimitError(tiers, { limitType, limit, tier, asked, retryAfter });
}

const LimitReply = z.tuple([
  z.enum(Object.keys(LIMITED_BY) as LimitType[]),
  z.coerce.number(),
  z.enum(TIERS),
  z.coerce.number(),
  z.coerce.number(),
]);

/** @param reply quota of lua/includes/charge.lua */
function toQuota(reply: string): Quota[] {
  const numbers = reply.split(' ').map(toInteger);
  return (['OperationsPerMinute', 'OperationsPerDay'] as const).flatMap((limitType, i) => {
    const [limit = -1, remaining = 0, resetS = 0] = numbers.slice(3 * i);
    return limit === -1 ? [] : [{ limitType, limit, remaining, resetS }];
  });
}

const noValidKey = () => new HoldfastError('unauthenticated', 'The X-Api-Key header holds no valid key.');

async function lowerIndex(engine: Engine, tenant: string, ms: number): Promise<void> {
  await send(() => engine.redis.hf_lowerIndex(expiryKey(expiryShard(tenant)), tenant, ms));
}
