/**
 * Runs a verb's script for whoever asks, and does what a script asks for in turn: it loads a tenant that Redis does not
 * know, lets a backlog of due reservations be ended bite by bite, and writes the expiry index ahead of a lease.
 */
import type { Redis } from 'ioredis';
import { HoldfastError, LimitError } from '../domain/errors.ts';
import type { Credential, TenantRecord } from '../domain/tenants.ts';
import { TIER_LIMITS } from '../domain/tiers.ts';
import { expiryKey, expiryShard, tenantKey } from './keys.ts';
import { send } from './redis.ts';
import { parseReply, toInteger, toMs, toText } from './reply.ts';
import type { Verb } from './scripts.ts';

/** Finds the record of a tenant that Redis has lost or never had; null where there is no such tenant. */
export type TenantLookup = (tenant: string) => Promise<TenantRecord | null>;

export interface Engine {
  readonly redis: Redis;
  readonly lookUpTenant: TenantLookup;
}

/** ms that a call may go on ending due reservations before it gives up. */
const BACKLOG_PATIENCE_MS = 2000;

type GuardedVerb = Exclude<
  Verb,
  'closeStreams' | 'loadTenant' | 'lowerIndex' | 'probe' | 'raiseIndex' | 'renewStreams' | 'sweep'
>;

/**
 * Calls a script of lua/commands that begins with the gate.
 * @param args its ARGV after the digest; made anew for each try from the time (ms) that the expiry index holds, '' at first
 * @returns what follows 'OK' in its reply
 * @throws HoldfastError unauthenticated, unavailable; refused or unregistered where the script says so
 */
export async function call(
  engine: Engine,
  verb: GuardedVerb | 'activeBuffer',
  { tenant, digest }: Credential,
  args: (indexed: number | '') => (string | number)[],
): Promise<unknown[]> {
  const key = tenantKey(tenant);
  let indexed: number | '' = '';
  let loaded = false;
  let patienceEnds = 0;
  for (;;) {
    const [code, ...rest] = parseReply(await send(() => engine.redis[`hf_${verb}`](key, digest, ...args(indexed))));
    switch (code) {
      case 'OK':
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
        throw limitError(rest);
      case 'REFUSED':
        throw new HoldfastError('refused', toText(rest[0]));
      case 'UNREGISTERED':
        throw new HoldfastError('unregistered', 'No such resource is registered.');
      default:
        throw new TypeError(`${verb} returned an unknown code`);
    }
  }
}

/** Seconds after which a stream that found no room may try again: others come and go at any time. */
const STREAM_RETRY_S = 5;

function limitError([limitType, limit, tier]: readonly unknown[]): LimitError {
  const hit = { limitType: toText(limitType), limit: toInteger(limit), tier: toText(tier) };
  const message = `The limit of tier ${hit.tier} is reached: ${hit.limit} ${hit.limitType}.`;
  return new LimitError(message, { ...hit, retryAfter: STREAM_RETRY_S, upgradeRequired: true });
}

const noValidKey = () => new HoldfastError('unauthenticated', 'The X-Api-Key header holds no valid key.');

/** Puts a tenant's record and keys into Redis, in place of those that are there. Reservations stay as they are. */
export async function loadTenant(engine: Engine, { id, tier, keys }: TenantRecord): Promise<void> {
  const pairs = keys.flatMap(({ digest, label }) => [digest, label ?? '']);
  const { eventConnections } = TIER_LIMITS[tier];
  await send(() => engine.redis.hf_loadTenant(tenantKey(id), tier, eventConnections ?? '', ...pairs));
}

async function lowerIndex(engine: Engine, tenant: string, ms: number): Promise<void> {
  await send(() => engine.redis.hf_lowerIndex(expiryKey(expiryShard(tenant)), tenant, ms));
}
