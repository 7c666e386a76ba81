/**
 * Makes Redis forget a tenant, as a flush does, but no other test's.
 */
import type { RedisClient } from '../../src/redis/client.ts';

export async function forget(redis: RedisClient, tenant: string): Promise<void> {
  const keys = await redis.keys(`{${tenant}}:*`);
  if (keys.length > 0) await redis.del(...keys);
}
