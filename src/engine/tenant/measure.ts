/**
 * What tenants use, as Redis knows it, for a copy in the database (operations/usages.ts); and which tenants have been
 * active.
 */
import type { RedisClient } from '../../redis/client.ts';
import { readHot } from '../../redis/hotRecord.ts';
import { ACTIVE_KEY, tenantKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import { lastHour } from './activity.ts';

/** How long a tenant stays in the set of active ones. */
const KEPT_MS = 86_400_000;

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
  const { tier, count, further, definitions } = readHot(hot);
  return {
    tenant,
    reservations: count + further + begun,
    definitions: tier === 0 ? null : definitions,
    requests: minutes.reduce((sum, minute) => sum + minute.requests, 0),
    refusals: minutes.reduce((sum, minute) => sum + minute.refusals, 0),
  };
}
