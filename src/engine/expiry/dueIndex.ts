/**
 * The due index: when each tenant has something due next (lua/limits/cap.lua). Sweeps visit the tenants that are due.
 */
import type { RedisClient } from '../../redis/client.ts';
import { expiryKey, expiryShard } from '../../redis/keys.ts';
import { runScript } from '../../redis/scripts.ts';

/** Puts a tenant into the due index, at or before a time in ms since 1970 UTC. */
export const lowerDueIndex = (redis: RedisClient, tenant: string, ms: number): Promise<unknown> =>
  runScript(redis, 'lowerDueIndex', expiryKey(expiryShard(tenant)), tenant, ms);

/**
 * Has the sweep visit a tenant at or before a time. If the due index cannot be reached, reconcile() sees to it later.
 * @param ms since 1970 UTC; -1: it need not
 */
export async function visitBy(redis: RedisClient, tenant: string, ms: number): Promise<void> {
  if (ms >= 0) await lowerDueIndex(redis, tenant, ms).catch(() => {});
}
