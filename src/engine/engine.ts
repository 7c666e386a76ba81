/**
 * Runs a verb's script for whoever asks, and does what a script asks for in turn: it loads a tenant that Redis does not
 * know, lets a backlog of due reservations be ended bite by bite, and writes the expiry index ahead of a lease.
 */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { HoldfastError, type LimitError } from '../domain/errors.ts';
import { LIMITED_BY, type LimitType, type Quota, tierLimitError } from '../domain/limits.ts';
import type { Credential, TenantRecord } from '../domain/tenants.ts';
import { TIERS, type TierTable } from '../domain/tiers.ts';
import { expiryKey, expiryShard, tenantKey } from './keys.ts';
import { send } from './redis.ts';
import { parseReply, toInteger, toMs, toText } from './reply.ts';
import type { Verb } from './scripts.ts';

/** Finds the record of a tenant that Redis has lost or never had; null where there is no such tenant. */
export type TenantLookup = (tenant: string) => Promise<TenantRecord | null>;

export interface Engine {
  readonly redis: Redis;
  readonly lookUpTenant: TenantLookup;
  /** What each tier allows. */
  readonly tiers: TierTable;
}

/** Stands for any number, in Lua. */
const NO_LIMIT = 4_294_967_295;

/** Verbs whose scripts charge the quota of writes, and tell what is left of it. */
const CHARGED = ['delete', 'register', 'renew', 'reserve', 'reset', 'transaction', 'unreserve'];
const isCharged = (verb: string) => CHARGED.includes(verb);

/** ms that a call may go on ending due reservations before it gives up. */
const BACKLOG_PATIENCE_MS = 2000;

type GuardedVerb = Exclude<
  Verb,
  'closeStreams' | 'loadTenant' | 'lowerIndex' | 'probe' | 'raiseIndex' | 'renewStreams' | 'sweep'
>;

/**
 * Calls a script of lua/commands that begins with the gate.
 * @param args its ARGV after the digest; made anew for each try from the time (ms) that the expiry index holds, '' at first
 * @returns what follows 'OK' in its reply, and the quota, which is noted in the credential
 * @throws HoldfastError unauthenticated, unavailable; refused or unregistered where the script says so; LimitError
 */
export async function call(
  engine: Engine,
  verb: GuardedVerb | 'activeBuffer',
  credential: Credential,
  args: (indexed: number | '') => (string | number)[],
): Promise<unknown[]> {
  const { tenant, digest } = credential;
  const key = tenantKey(tenant);
  let indexed: number | '' = '';
  let loaded = false;
  let patienceEnds = 0;
  for (;;) {
    const [code, ...rest] = parseReply(await send(() => engine.redis[`hf_${verb}`](key, digest, ...args(indexed))));
    switch (code) {
      case 'OK':
        if (!isCharged(verb)) return rest;
        credential.quota = toQuota(parseReply(rest.shift()));
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
      case 'NO_TENANT': {
        const record = loaded ? null : await engine.lookUpTenant(tenant);
        if (record === null) throw noValidKey();
        await loadTenant(engine, record);
        loaded = true;
        continue;
      }
      case 'NO_KEY':
        throw noValidKey();
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
function toQuota(reply: readonly unknown[]): Quota[] {
  return (['OperationsPerMinute', 'OperationsPerDay'] as const).flatMap((limitType, i) => {
    const [limit = -1, remaining = 0, resetS = 0] = parseReply(reply[i]).map(toInteger);
    return limit === -1 ? [] : [{ limitType, limit, remaining, resetS }];
  });
}

const noValidKey = () => new HoldfastError('unauthenticated', 'The X-Api-Key header holds no valid key.');

/** Puts a tenant's record and keys into Redis, in place of those that are there. Reservations stay as they are. */
export async function loadTenant(engine: Engine, { id, tier, keys }: TenantRecord): Promise<void> {
  const pairs = keys.flatMap(({ digest, label }) => [digest, label ?? '']);
  const { writesPerMinute, writesPerDay, reservations, eventConnections } = engine.tiers[tier];
  const limits = [writesPerMinute, writesPerDay, reservations, eventConnections].map((limit) => limit ?? NO_LIMIT);
  await send(() => engine.redis.hf_loadTenant(tenantKey(id), tier, ...limits, ...pairs));
}

async function lowerIndex(engine: Engine, tenant: string, ms: number): Promise<void> {
  await send(() => engine.redis.hf_lowerIndex(expiryKey(expiryShard(tenant)), tenant, ms));
}
