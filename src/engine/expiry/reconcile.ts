/**
 * Puts tenants that are missing back into the due index. It is written before a lease is, so that tenants are
 * missing only if Redis lost writes, as in a failover. Leases that are accessed expire without it.
 */
import type { Redis } from 'ioredis';
import { hasType } from '../../domain/eventTypes.ts';
import type { RedisClient } from '../../redis/client.ts';
import { expiryKey, expiryShard, TENANT_KEYS, tenantKey, tenantOf } from '../../redis/keys.ts';
import { NEVER, readHot } from '../../redis/layouts.ts';
import { isAway, send } from '../../redis/send.ts';
import { primariesOf } from '../../redis/topology.ts';
import { lowerDueIndex } from './dueIndex.ts';
import { timeMs } from './sweep.ts';

/** About the number of keys that one SCAN visits. */
const SCAN_COUNT = 1000;

/** Clocks of primaries may differ by so much, in ms. */
const MAX_SKEW_MS = 1000;

/**
 * Checks every tenant, on each primary that responds.
 * @param alsoDo what else is done with each tenant
 * @returns the number of tenants that were put back
 * @throws Error if a primary did not respond or the state of a tenant is broken, after all others have been checked
 */
export async function reconcile(redis: RedisClient, alsoDo?: (tenant: string) => Promise<void>): Promise<number> {
  const walks = await Promise.allSettled(primariesOf(redis).map((primary) => reconcileAt(redis, primary, alsoDo)));
  return walks.reduce((sum, walk) => {
    if (walk.status === 'rejected') throw walk.reason;
    return sum + walk.value;
  }, 0);
}

async function reconcileAt(
  redis: RedisClient,
  primary: Redis,
  alsoDo: ((tenant: string) => Promise<void>) | undefined,
): Promise<number> {
  let cursor = '0';
  let repaired = 0;
  let broken: unknown;
  do {
    const [next, keys] = await primary.scan(cursor, 'MATCH', TENANT_KEYS, 'COUNT', SCAN_COUNT);
    cursor = next;
    for (const key of keys) {
      const tenant = tenantOf(key);
      if (tenant === null) continue;
      try {
        if (await reconcileTenant(redis, tenant)) repaired++;
        await alsoDo?.(tenant);
      } catch (error) {
        if (isAway(error)) throw error;
        broken = error;
      }
    }
  } while (cursor !== '0');
  if (broken !== undefined) throw broken;
  return repaired;
}

/**
 * Lowers the tenant's time in the due index to the time at which a lease or a session is next due, or at which leases
 * have to be looked at since their ends are announced (lua/events/endsSoon.lua). Returns whether that was necessary.
 */
async function reconcileTenant(redis: RedisClient, tenant: string): Promise<boolean> {
  const [packed, sessions, endsSoon] = await send(() =>
    redis.hmgetBuffer(tenantKey(tenant), 'hot', 'sessions', 'endsSoon'),
  );
  const hot = readHot(packed);
  // 'inf' or missing: the tenant has no sessions (lua/sessions/sessions.lua).
  const sessionsDue = Number.parseInt(sessions?.toString().split(' ')[1] ?? '', 10);
  const next = Math.min(hot.nextDue, Number.isFinite(sessionsDue) ? sessionsDue : NEVER);
  if (next === NEVER) return false;
  const { box, listenUntil } = hot;
  const isSubscribed = box !== null && (hasType(box.types, 'ENDS_SOON') || hasType(box.personTypes, 'ENDS_SOON'));
  const windowMs = isSubscribed || listenUntil > 0 ? Number(endsSoon ?? 0) : 0;
  const nowMs = next === 0 || windowMs > 0 ? await timeMs(redis) : 0;
  const isAnnounced = windowMs > 0 && (isSubscribed || listenUntil > nowMs);
  // A session that is over is due at 0, which would be its age in metrics.
  const due = next || nowMs;
  const latest = isAnnounced ? Math.min(due, nowMs + windowMs + MAX_SKEW_MS) : due;
  const dueIndexed = await send(() => redis.zscore(expiryKey(expiryShard(tenant)), tenant));
  if (dueIndexed !== null && Number(dueIndexed) <= latest) return false;
  await lowerDueIndex(redis, tenant, isAnnounced ? Math.min(due, nowMs) : due);
  return true;
}
