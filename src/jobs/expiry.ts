/**
 * Ends expired reservations that no request has ended (docs/specification.md#expiry).
 */
import type { Logger } from 'pino';
import { type Swept, sweep } from '../engine/expiry/sweep.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Job } from './job.ts';

const EVERY_MS = 1000;
/** Maximum number of tenants that one line of the log names. */
const MAX_LOGGED = 20;

/** @param onSwept called after each sweep with what it did */
export const expiryJob = (redis: RedisClient, onSwept: (swept: Swept) => Promise<void>, log: Logger): Job => ({
  name: 'expiry',
  everyMs: EVERY_MS,
  turn: async () => {
    const swept = await sweep(redis);
    await onSwept(swept);
    const { ended, stuckQueues } = swept;
    if (ended > 0) log.debug({ ended }, 'expired reservations ended');
    if (stuckQueues.length > 0)
      log.error({ tenants: stuckQueues.slice(0, MAX_LOGGED) }, 'queues did not move by themselves');
  },
});
