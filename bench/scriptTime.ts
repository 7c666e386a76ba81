import type { RedisClient } from '../src/redis/client.ts';

/** Returns the time that Redis spends on scripts during the work, in µs. */
export async function scriptTime(redis: RedisClient, work: () => Promise<void>): Promise<number> {
  await redis.config('RESETSTAT');
  await work();
  const stats = await redis.info('commandstats');
  return [...stats.matchAll(/cmdstat_(?:eval|evalsha|fcall):calls=\d+,usec=(\d+)/g)].reduce(
    (sum, [, us]) => sum + Number(us),
    0,
  );
}
