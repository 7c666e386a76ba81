/**
 * Ends expired reservations that no request has ended (docs/specification.md#expiry). Runs every SWEEP_INTERVAL_MS.
 */
import type { Logger } from 'pino';
import { sweep } from '../engine/expiry/sweep.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Job } from './job.ts';

/** @param onSwept called after each sweep with the number of reservations that it ended */
export const expiryJob = (
  redis: RedisClient,
  everyMs: number,
  onSwept: (reservations: number) => void,
  log: Logger,
): Job => ({
  name: 'expiry',
  everyMs,
  turn: async () => {
    const ended = await sweep(redis);
    onSwept(ended);
    if (ended > 0) log.debug({ ended }, 'expired reservations ended');
  },
});
