/**
 * The expiry sweep as a BullMQ job scheduler (decisions, section 7): each turn is done by whichever worker takes it, so any
 * number of workers may run.
 */
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { sweep } from '../engine/sweep.ts';

const QUEUE = 'expiry';
/** All of BullMQ's keys in one hash slot, which its scripts need in a cluster. */
const PREFIX = '{bull}';

export interface Jobs {
  /** Waits for the turn in hand and takes no other. */
  close(): Promise<void>;
}

/**
 * Starts sweeping.
 * @param redis runs the sweep's scripts
 * @param connection for BullMQ alone: it must wait for Redis as long as it takes (maxRetriesPerRequest null)
 */
export async function startExpiry(redis: Redis, connection: Redis, intervalMs: number, log: Logger): Promise<Jobs> {
  const options = { connection, prefix: PREFIX };
  const queue = new Queue(QUEUE, options);
  const worker = new Worker(
    QUEUE,
    async () => {
      const ended = await sweep(redis);
      if (ended > 0) log.debug({ ended }, 'swept');
    },
    { ...options, removeOnComplete: { count: 1 }, removeOnFail: { count: 10 } },
  );
  const onError = (err: Error) => log.warn({ err }, 'expiry sweep');
  queue.on('error', onError);
  worker.on('error', onError);
  worker.on('failed', (_, err) => onError(err));
  await queue.upsertJobScheduler('sweep', { every: intervalMs }, { name: 'sweep' });
  return {
    close: async () => {
      await worker.close();
      await queue.close();
    },
  };
}
