/**
 * Ends reservations whose lease is over and that nobody has touched since (docs/specification.md#events). Its cost
 * follows what is due: the expiry index names the tenants, so no other is looked at. Any number of sweeps may run at
 * once.
 */

import type { RedisClient } from '../../redis/client.ts';
import { EXPIRY_SHARDS, expiryKey, keysOf, tenantKey } from '../../redis/keys.ts';
import { parseReply, toInteger } from '../../redis/reply.ts';
import { isAway, send } from '../../redis/send.ts';
import { ownerOf } from '../../redis/topology.ts';

/** Tenants taken from a shard of the index at a time. */
const TENANTS = 100;

/**
 * Ends all that is due by now, but for tenants of a primary that does not answer, and tenants whose state is broken.
 * @returns how many reservations it ended
 * @throws Error if there are such, once all others have been visited
 */
export async function sweep(redis: RedisClient): Promise<number> {
  const [seconds = 0] = await send(() => redis.time());
  const away = new Map<string, unknown>();
  const shards = await Promise.allSettled(
    Array.from({ length: EXPIRY_SHARDS }, (_, shard) => sweepShard(redis, expiryKey(shard), seconds * 1000, away)),
  );
  for (const error of away.values()) throw error;
  return shards.reduce((sum, shard) => {
    if (shard.status === 'rejected') throw shard.reason;
    return sum + shard.value;
  }, 0);
}

/**
 * How long the reservation that is most overdue has been so: as long as sweeps come round, about the time between two
 * of them.
 * @returns ms, 0 where nothing is due
 */
export async function overdueMs(redis: RedisClient): Promise<number> {
  const [seconds = 0, microseconds = 0] = await send(() => redis.time());
  const firsts = await Promise.all(
    Array.from({ length: EXPIRY_SHARDS }, (_, shard) =>
      send(() => redis.zrange(expiryKey(shard), '0', '0', 'WITHSCORES')),
    ),
  );
  const nowMs = seconds * 1000 + microseconds / 1000;
  return Math.max(0, ...firsts.map(([, due]) => (due === undefined ? 0 : nowMs - Number(due))));
}

/**
 * Passes through what is due, a piece of each tenant's backlog at a time, so that one with a great backlog does not
 * keep the others waiting, until a pass changes nothing.
 * @param away filled with the primaries that have not answered in this sweep, and the tenants whose state is broken:
 * these are not visited again
 */
async function sweepShard(
  redis: RedisClient,
  shardKey: string,
  nowMs: number,
  away: Map<string, unknown>,
): Promise<number> {
  let total = 0;
  let hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    // Tenants of this pass that are due still: they precede those that it has not come to.
    let left = 0;
    for (;;) {
      const range = [shardKey, '-inf', String(nowMs), 'BYSCORE', 'LIMIT', left, TENANTS, 'WITHSCORES'] as const;
      const rows = await send(() => redis.zrange(...range));
      if (rows.length === 0) break;
      for (let i = 0; i < rows.length; i += 2) {
        const [tenant = '', indexed = ''] = rows.slice(i, i + 2);
        const { ended, isDue, isChanged } = await visit(redis, shardKey, tenant, indexed, nowMs, away);
        total += ended;
        if (isDue) left++;
        if (isChanged) hasChanged = true;
      }
    }
  }
  return total;
}

interface Visit {
  readonly ended: number;
  /** Whether the index has it among what is due still. */
  readonly isDue: boolean;
  readonly isChanged: boolean;
}

const NOT_VISITED: Visit = { ended: 0, isDue: true, isChanged: false };

/** Ends a piece of what is due of a tenant. */
async function visit(
  redis: RedisClient,
  shardKey: string,
  tenant: string,
  indexed: string,
  nowMs: number,
  away: Map<string, unknown>,
): Promise<Visit> {
  const key = tenantKey(tenant);
  const primary = `at ${ownerOf(redis, key)}`;
  if (away.has(primary) || away.has(tenant)) return NOT_VISITED;
  try {
    const [code, ended, next] = parseReply(await send(() => redis.hf_sweep(...keysOf('sweep', tenant), '')));
    if (code === 'AGAIN') return { ended: toInteger(ended), isDue: true, isChanged: true };
    const nextDue = toInteger(next);
    await send(() => redis.hf_raiseIndex(shardKey, tenant, indexed, nextDue));
    // A tenant stays due only if its shard's clock is behind, or somebody has just lowered it; the next sweep sees to
    // it.
    const isDue = nextDue !== -1 && nextDue <= nowMs;
    return { ended: toInteger(ended), isDue, isChanged: !isDue };
  } catch (error) {
    away.set(isAway(error) ? primary : tenant, error);
    return NOT_VISITED;
  }
}
