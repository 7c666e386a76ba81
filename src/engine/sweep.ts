/**
 * Ends reservations whose lease is over and that nobody has touched since (decisions, section 7). Its cost follows what is
 * due: the expiry index names the tenants, so no other is looked at. Any number of sweeps may run at once.
 */
import type { Redis } from 'ioredis';
import { EXPIRY_SHARDS, expiryKey, tenantKey } from './keys.ts';
import { parseReply, toInteger } from './reply.ts';

/** Reservations ended by one call: about 2 ms of Redis. */
const BITE = 250;
/** Tenants taken from a shard of the index at a time. */
const TENANTS = 100;

/**
 * Ends all that is due by now.
 * @returns how many reservations it ended
 */
export async function sweep(redis: Redis): Promise<number> {
  const [seconds = 0] = await redis.time();
  const nowMs = seconds * 1000;
  const shards = Array.from({ length: EXPIRY_SHARDS }, (_, shard) => sweepShard(redis, expiryKey(shard), nowMs));
  return (await Promise.all(shards)).reduce((sum, ended) => sum + ended, 0);
}

/**
 * How long the reservation that is most overdue has been so: as long as sweeps come round, about the time between two of them.
 * @returns ms, 0 where nothing is due
 */
export async function overdueMs(redis: Redis): Promise<number> {
  const [seconds = 0, microseconds = 0] = await redis.time();
  const firsts = await Promise.all(
    Array.from({ length: EXPIRY_SHARDS }, (_, shard) => redis.zrange(expiryKey(shard), '0', '0', 'WITHSCORES')),
  );
  const nowMs = seconds * 1000 + microseconds / 1000;
  return Math.max(0, ...firsts.map(([, due]) => (due === undefined ? 0 : nowMs - Number(due))));
}

/** A bite of each tenant in turn, so that one with a great backlog does not keep the others waiting. */
async function sweepShard(redis: Redis, shardKey: string, nowMs: number): Promise<number> {
  let total = 0;
  for (;;) {
    const rows = await redis.zrange(shardKey, '-inf', String(nowMs), 'BYSCORE', 'LIMIT', 0, TENANTS, 'WITHSCORES');
    let progress = false;
    for (let i = 0; i < rows.length; i += 2) {
      const [tenant = '', indexed = ''] = rows.slice(i, i + 2);
      const [code, ended, next] = parseReply(await redis.hf_sweep(tenantKey(tenant), BITE));
      total += toInteger(ended);
      if (code === 'AGAIN') {
        progress = true;
        continue;
      }
      const nextDue = toInteger(next);
      await redis.hf_raiseIndex(shardKey, tenant, indexed, nextDue);
      // A tenant stays only where its shard's clock is behind, or somebody has just lowered it; the next sweep sees to it.
      if (nextDue === -1 || nextDue > nowMs) progress = true;
    }
    if (!progress) return total;
  }
}
