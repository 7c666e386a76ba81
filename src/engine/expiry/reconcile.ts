/**
 * Puts tenants back into the expiry index where it should hold them and does not. A lease is never written before the
 * index is, so only a Redis that lost writes, as a failover may, leaves such a gap; leases end on access all the same.
 */
import type { Redis } from 'ioredis';
import type { RedisClient } from '../../redis/client.ts';
import { expiryKey, expiryShard, TENANT_KEYS, tenantKey, tenantOf } from '../../redis/keys.ts';
import { isAway, send } from '../../redis/send.ts';
import { primariesOf } from '../../redis/topology.ts';

/** Keys that one SCAN looks at, about. */
const SCAN_COUNT = 1000;

/**
 * Looks at every tenant, on each primary that answers.
 * @returns how many it put back
 * @throws Error if a primary did not answer, or the state of a tenant is broken, once all others have been looked at
 */
export async function reconcile(redis: RedisClient): Promise<number> {
  const walks = await Promise.allSettled(primariesOf(redis).map((primary) => reconcileAt(redis, primary)));
  return walks.reduce((sum, walk) => {
    if (walk.status === 'rejected') throw walk.reason;
    return sum + walk.value;
  }, 0);
}

async function reconcileAt(redis: RedisClient, primary: Redis): Promise<number> {
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
      } catch (error) {
        if (isAway(error)) throw error;
        broken = error;
      }
    }
  } while (cursor !== '0');
  if (broken !== undefined) throw broken;
  return repaired;
}

/** Lowers the tenant's time in the index to that at which a sweep should visit it. Returns whether it had to. */
async function reconcileTenant(redis: RedisClient, tenant: string): Promise<boolean> {
  const due = Number((await send(() => redis.hget(tenantKey(tenant), 'nextDue'))) ?? Number.NaN);
  // 'inf', or nothing at all: nothing will be due.
  if (Number.isNaN(due)) return false;
  const shardKey = expiryKey(expiryShard(tenant));
  const indexed = await send(() => redis.zscore(shardKey, tenant));
  if (indexed !== null && Number(indexed) <= due) return false;
  await send(() => redis.hf_lowerIndex(shardKey, tenant, due));
  return true;
}
