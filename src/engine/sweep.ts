/**
 * Ends reservations whose lease is over and that nobody has touched since (decisions, section 7). Its cost follows what is
 * due: the expiry index names the tenants, so no other is looked at. Any number of sweeps may run at once.
 */
import { EXPIRY_SHARDS, expiryKey, keysOf, tenantKey } from './keys.ts';
import type { RedisClient } from './redis.ts';
import { parseReply, toInteger } from './reply.ts';
import { ownerOf } from './topology.ts';

/** Tenants taken from a shard of the index at a time. */
const TENANTS = 100;

/**
 * Ends all that is due by now, but for tenants of a primary that does not answer.
 * @returns how many reservations it ended
 * @throws Error where a primary did not answer, once the tenants of the others have been seen to
 */
export async function sweep(redis: RedisClient): Promise<number> {
  const [seconds = 0] = await redis.time();
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
 * How long the reservation that is most overdue has been so: as long as sweeps come round, about the time between two of them.
 * @returns ms, 0 where nothing is due
 */
export async function overdueMs(redis: RedisClient): Promise<number> {
  const [seconds = 0, microseconds = 0] = await redis.time();
  const firsts = await Promise.all(
    Array.from({ length: EXPIRY_SHARDS }, (_, shard) => redis.zrange(expiryKey(shard), '0', '0', 'WITHSCORES')),
  );
  const nowMs = seconds * 1000 + microseconds / 1000;
  return Math.max(0, ...firsts.map(([, due]) => (due === undefined ? 0 : nowMs - Number(due))));
}

/**
 * A piece of each tenant's backlog in turn, so that one with a great backlog does not keep the others waiting.
 * @param away the primaries that have not answered in this sweep, which are not asked again, and what they cost to find out
 */
async function sweepShard(
  redis: RedisClient,
  shardKey: string,
  nowMs: number,
  away: Map<string, unknown>,
): Promise<number> {
  let total = 0;
  const skipped = new Set<string>();
  for (;;) {
    const range = [shardKey, '-inf', String(nowMs), 'BYSCORE', 'LIMIT', skipped.size, TENANTS, 'WITHSCORES'] as const;
    const rows = await redis.zrange(...range);
    let progress = false;
    for (let i = 0; i < rows.length; i += 2) {
      const [tenant = '', indexed = ''] = rows.slice(i, i + 2);
      const key = tenantKey(tenant);
      const primary = ownerOf(redis, key);
      if (!away.has(primary)) {
        try {
          const [code, ended, next] = parseReply(await redis.hf_sweep(...keysOf('sweep', tenant), ''));
          total += toInteger(ended);
          if (code === 'AGAIN') {
            progress = true;
            continue;
          }
          const nextDue = toInteger(next);
          await redis.hf_raiseIndex(shardKey, tenant, indexed, nextDue);
          // A tenant stays only where its shard's clock is behind, or somebody has just lowered it; the next sweep sees to it.
          if (nextDue === -1 || nextDue > nowMs) progress = true;
          continue;
        } catch (error) {
          away.set(primary, error);
        }
      }
      // Those behind it have their turn all the same.
      if (!skipped.has(tenant)) progress = true;
      skipped.add(tenant);
    }
    if (!progress) return total;
  }
}
