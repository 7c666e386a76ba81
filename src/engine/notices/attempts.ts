/**
 * The last attempts to deliver to each subscription of a tenant. They are a list in Redis.
 */
import { z } from 'zod';
import type { Attempt } from '../../domain/notices.ts';
import type { RedisClient } from '../../redis/client.ts';
import { attemptsKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';

const MAX_KEPT = 100;
/** A subscription without attempts forgets them after this time, in ms. */
const KEPT_MS = 30 * 24 * 3_600_000;

const Kept = z.object({
  at: z.number(),
  webhookId: z.string(),
  attempt: z.number(),
  events: z.number(),
  status: z.number().nullable(),
  fault: z.string().nullable(),
  durationMs: z.number(),
});

/** Adds one. */
export async function addAttempt(
  redis: RedisClient,
  tenant: string,
  subscription: string,
  attempt: Attempt,
): Promise<void> {
  const key = attemptsKey(tenant, subscription);
  await Promise.all([
    send(() => redis.lpush(key, JSON.stringify(attempt))),
    send(() => redis.ltrim(key, 0, MAX_KEPT - 1)),
    send(() => redis.pexpire(key, KEPT_MS)),
  ]);
}

/** Returns them, newest first. */
export async function attemptsOf(redis: RedisClient, tenant: string, subscription: string): Promise<Attempt[]> {
  const kept = await send(() => redis.lrange(attemptsKey(tenant, subscription), 0, -1));
  return kept.map((text) => Kept.parse(JSON.parse(text)));
}

/** Forgets those of a subscription that is deleted. */
export const dropAttempts = (redis: RedisClient, tenant: string, subscription: string): Promise<unknown> =>
  send(() => redis.del(attemptsKey(tenant, subscription)));
