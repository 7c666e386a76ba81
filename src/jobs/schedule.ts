/**
 * Work that comes round again, as a BullMQ job scheduler (decisions, section 7): each turn is done by whichever worker takes it,
 * so any number of workers may run.
 */
import { Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { RedisClient } from '../engine/redis.ts';

/** All of BullMQ's keys in one hash slot, which its scripts need in a cluster. */
const PREFIX = '{bull}';

export interface Schedule {
  /** Waits for the turn in hand and takes no other. */
  close(): Promise<void>;
}

/**
 * Starts it.
 * @param connection for BullMQ alone: it must wait for Redis as long as it takes (maxRetriesPerRequest null)
 * @param name of the queue, and in logs
 * @param turn a turn; what it throws is logged, and the next turn comes all the same
 */
export async function startSchedule(
  connection: RedisClient,
  name: string,
  everyMs: number,
  turn: () => Promise<void>,
  log: Logger,
): Promise<Schedule> {
  const options = { connection, prefix: PREFIX };
  const queue = new Queue(name, options);
  const worker = new Worker(name, turn, { ...options, removeOnComplete: { count: 1 }, removeOnFail: { count: 10 } });
  const onError = (err: Error) => log.warn({ err }, name);
  queue.on('error', onError);
  worker.on('error', onError);
  worker.on('failed', (_, err) => onError(err));
  await queue.upsertJobScheduler(name, { every: everyMs }, { name });
  return {
    close: async () => {
      await worker.close();
      await queue.close();
    },
  };
}
