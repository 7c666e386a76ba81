/**
 * Work that comes round again, as a BullMQ job scheduler: each turn is done by whichever worker takes it, so any number
 * of workers may run. BullMQ plans a turn when the one before is taken, so a Redis that loses its data, or refuses a
 * write, breaks the chain for good. Each worker therefore looks after the chain, starts it again, and takes turns by
 * its own timer as long as that does not help.
 */
import { Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { RedisClient } from '../redis/client.ts';

/** All of BullMQ's keys in one hash slot, which its scripts need in a cluster. */
const PREFIX = '{bull}';

/** How often a worker looks after the chain; as long it waits for BullMQ's answer. */
const LOOK_EVERY_MS = 2000;
/** How late a turn may be taken before the chain counts as broken. */
const LATE_MS = 2000;

export interface Schedule {
  /** Waits for the turn in hand and takes no other. */
  close(): Promise<void>;
}

/**
 * Starts it.
 * @param connection for BullMQ alone: it must wait for Redis as long as it takes (maxRetriesPerRequest null)
 * @param name of the queue, and in logs
 * @param turn a turn. An error of it is logged, and the next turn comes all the same. Two may run at once
 */
export function startSchedule(
  connection: RedisClient,
  name: string,
  everyMs: number,
  turn: () => Promise<void>,
  log: Logger,
): Schedule {
  const options = { connection, prefix: PREFIX };
  const queue = new Queue(name, options);
  let turns = 0;
  const take = async () => {
    turns++;
    await turn().finally(() => turns--);
  };
  const worker = new Worker(name, take, { ...options, removeOnComplete: { count: 1 }, removeOnFail: { count: 10 } });
  const onError = (err: Error) => log.warn({ err }, name);
  queue.on('error', onError);
  worker.on('error', onError);
  worker.on('failed', (_, err) => onError(err));

  /** Starts the chain unless it goes on. Returns how it was. */
  const keepChain = async (): Promise<Chain> => {
    const { next } = (await queue.getJobScheduler(name)) ?? {};
    if (next !== undefined && next > Date.now() - LATE_MS) return 'whole';
    await queue.upsertJobScheduler(name, { every: everyMs }, { name });
    return next === undefined ? 'missing' : 'late';
  };

  let asked: Promise<Chain> | null = null;
  let before: Chain | null = null;
  let ownTurn: Promise<void> = Promise.resolve();
  let ownTurnAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    // One question at a time: while Redis is away they would pile up.
    asked ??= keepChain()
      .catch((error: Error) => {
        onError(error);
        return 'late' as const;
      })
      .finally(() => {
        asked = null;
      });
    const chain = await Promise.race([asked, after(LOOK_EVERY_MS, 'late' as const)]);
    // A chain that was there and is gone was lost with all data: BullMQ's worker may wait for long until it notices.
    const isBroken = before !== null && (chain === 'missing' || (chain === 'late' && before !== 'whole'));
    if (isBroken && turns === 0 && performance.now() - ownTurnAt >= everyMs) {
      ownTurnAt = performance.now();
      ownTurn = take().catch(onError);
    }
    before = chain;
  };
  void look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return {
    close: async () => {
      clearInterval(timer);
      await ownTurn;
      await worker.close();
      await queue.close();
    },
  };
}

/** Whether BullMQ has a next turn, and in time. */
type Chain = 'whole' | 'late' | 'missing';

const after = <T>(ms: number, value: T) =>
  new Promise<T>((resolve) => {
    setTimeout(resolve, ms, value).unref();
  });
