/**
 * A tenant's usage of its limits (docs/specification.md#limits): reads it, charges writes, and says that a limit was
 * reached.
 */
import { z } from 'zod';
import type { LimitType } from '../../domain/errors.ts';
import type { Charged, Quota } from '../../domain/quota.ts';
import type { Right } from '../../domain/rights.ts';
import type { Credential } from '../../domain/tenants.ts';
import { TIERS, type Tier } from '../../domain/tiers.ts';
import type { RedisClient } from '../../redis/client.ts';
import { ACTIVE_KEY, tenantKey } from '../../redis/keys.ts';
import { readHot } from '../../redis/layouts.ts';
import { toInteger } from '../../redis/reply.ts';
import { send } from '../../redis/send.ts';
import { call, callCharged, callRead } from '../call.ts';
import type { Engine } from '../engine.ts';
import { lastHour } from './activity.ts';

export interface Usage {
  readonly tier: Tier;
  /** In the current window of a minute. */
  readonly writesThisMinute: number;
  /** Since midnight UTC. */
  readonly writesToday: number;
  readonly reservations: number;
  readonly eventConnections: number;
  /** Registered resources. */
  readonly definitions: number;
  /** That the tenant keeps in Redis. */
  readonly bytes: number;
  /** That have not ended. */
  readonly bookings: number;
}

/**
 * Reads a tenant's usage of its limits (docs/specification.md#limits).
 * @param cost reads to charge
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function usage(engine: Engine, credential: Credential, cost = 0): Promise<Charged<Usage>> {
  const {
    quota,
    result: [tier, ...counts],
  } = await callRead(engine, 'usage', credential, cost, () => []);
  const [writesThisMinute = 0, writesToday = 0, reservations = 0, eventConnections = 0, ...kept] =
    counts.map(toInteger);
  const [definitions = 0, bytes = 0, bookings = 0] = kept;
  const result = {
    tier: z.enum(TIERS).parse(tier),
    writesThisMinute,
    writesToday,
    reservations,
    eventConnections,
    definitions,
    bytes,
    bookings,
  };
  return { quota, result };
}

/** Time for which a tenant stays in the set of active ones. */
const KEPT_MS = 86_400_000;

/** A tenant's usage, for a copy in the database (operations/copies.ts). */
export interface Measured {
  readonly tenant: string;
  /** Of several slots: their slots. A session counts as one. */
  readonly reservations: number;
  /** Registered resources; null: Redis does not have the tenant just now */
  readonly definitions: number | null;
  /** Of the last hour. */
  readonly requests: number;
  /** Refused operations of the last hour. */
  readonly refusals: number;
}

/**
 * Lists the tenants that have been active since a time, with when they were last: ms since 1970 UTC. Forgets those that
 * have not been for a day.
 * @throws HoldfastError unavailable
 */
export async function activeSince(redis: RedisClient, sinceMs: number): Promise<ReadonlyMap<string, number>> {
  await send(() => redis.zremrangebyscore(ACTIVE_KEY, '-inf', String(Date.now() - KEPT_MS)));
  const rows = await send(() => redis.zrange(ACTIVE_KEY, String(sinceMs), '+inf', 'BYSCORE', 'WITHSCORES'));
  const active = new Map<string, number>();
  for (let i = 0; i < rows.length; i += 2) active.set(rows[i] ?? '', Number(rows[i + 1]));
  return active;
}

/**
 * Measures a tenant.
 * @throws HoldfastError unavailable
 */
export async function measure(redis: RedisClient, tenant: string): Promise<Measured> {
  const [[hot, sessions], minutes] = await Promise.all([
    send(() => redis.hmgetBuffer(tenantKey(tenant), 'hot', 'sessions')),
    lastHour({ redis }, tenant),
  ]);
  // The first number of the field `sessions` is how many there are (lua/sessions/sessions.lua).
  const begun = Number(sessions?.toString().split(' ')[0] ?? 0);
  const { tier, count, moreSlots, definitions } = readHot(hot);
  return {
    tenant,
    reservations: count + moreSlots + begun,
    definitions: tier === 0 ? null : definitions,
    requests: minutes.reduce((sum, minute) => sum + minute.requests, 0),
    refusals: minutes.reduce((sum, minute) => sum + minute.refusals, 0),
  };
}

/**
 * Charges the tenant's quota of writes for a request that no script charges
 * (docs/specification.md#what-a-request-costs).
 * @param right what the credential must be allowed to do
 * @returns the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError if the quota is used up
 */
export async function chargeWrite(engine: Engine, credential: Credential, right: Right): Promise<readonly Quota[]> {
  return (await callCharged(engine, 'charge', credential, () => [right])).quota;
}

/**
 * Emits TIER_LIMIT_REACHED for a limit that no script checks (docs/specification.md#event-types): at most once a
 * second.
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function emitLimitReached(
  engine: Engine,
  credential: Credential,
  requestType: 'READ' | null,
  limitType: LimitType,
  limit: number,
): Promise<void> {
  await call(engine, 'emitLimitReached', credential, () => [requestType ?? '', limitType, limit]);
}
