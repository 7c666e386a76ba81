/**
 * Runs a job at regular intervals as a BullMQ job scheduler: each run is taken by one of the workers, of which there
 * may be any number. BullMQ plans a run when the one before is taken, so a Redis that loses its data, or refuses a
 * write, breaks the chain of runs for good. Each worker therefore checks the chain, restarts it if it is broken, and
 * starts runs by its own timer until it works again.
 */
import { setTimeout as after } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { HoldfastError } from '../domain/errors.ts';
import { Outage } from '../domain/outage.ts';
import type { RedisClient } from '../redis/client.ts';
import { JOBS_PREFIX } from '../redis/keys.ts';
import { isAway } from '../redis/send.ts';
import type { Job } from './jobs.ts';

/** Interval at which a worker checks the chain, and the time that BullMQ has to reply. */
const CHECK_EVERY_MS = 2000;
/** Delay of a run from which the chain counts as broken. */
const MAX_LATE_MS = 2000;
/** BullMQ may wait for ever for a reply that was lost with its connection. */
const CLOSE_WITHIN_MS = 3000;

export interface Schedule {
  /** Waits for the run in progress, for 3 s at most, and starts no other. */
  close(): Promise<void>;
}

/** @param connection for BullMQ alone. It must wait for Redis as long as it takes (maxRetriesPerRequest null) */
export function startSchedule(connection: RedisClient, { name, everyMs, run }: Job, log: Logger): Schedule {
  const options = { connection, prefix: JOBS_PREFIX };
  const queue = new Queue(name, options);
  const outage = new Outage(log.child({ job: name }), FAILED, 'a background job works again');
  let inProgress = 0;
  const take = async () => {
    inProgress++;
    const beganAt = performance.now();
    await run().finally(() => inProgress--);
    outage.worked(beganAt);
  };
  const worker = new Worker(name, take, { ...options, removeOnComplete: { count: 1 }, removeOnFail: { count: 10 } });
  // Each of BullMQ's connections reports each attempt. The clients for scripts say once that Redis is away.
  const onError = (err: Error) =>
    log[isAway(err) ? 'debug' : 'warn']({ job: name, err }, 'the queue of a background job failed: retrying');
  const onFailed = (err: Error) => {
    // Errors of the domain have words for callers of the API. Their cause says what failed.
    outage.failed(err instanceof HoldfastError ? (err.cause ?? err) : err);
  };
  queue.on('error', onError);
  worker.on('error', onError);
  worker.on('failed', (_, err) => onFailed(err));

  /** Restarts the chain if it is broken. Returns its state before. */
  const keepChain = async (): Promise<Chain> => {
    const { next } = (await queue.getJobScheduler(name)) ?? {};
    if (next !== undefined && next > Date.now() - MAX_LATE_MS) return 'whole';
    await queue.upsertJobScheduler(name, { every: everyMs }, { name });
    return next === undefined ? 'missing' : 'late';
  };

  let pending: Promise<Chain> | null = null;
  let previous: Chain | null = null;
  let ownRun: Promise<void> = Promise.resolve();
  let ownRunAt = Number.NEGATIVE_INFINITY;
  const check = async () => {
    // One call at a time: while Redis is unreachable they would pile up.
    pending ??= keepChain()
      .catch((error: Error) => {
        onError(error);
        return 'late' as const;
      })
      .finally(() => {
        pending = null;
      });
    const chain = await Promise.race([pending, after(CHECK_EVERY_MS, 'late' as const, UNREF)]);
    // A chain that disappears was lost with all data. BullMQ's worker may take long to notice that.
    const isBroken = previous !== null && (chain === 'missing' || (chain === 'late' && previous !== 'whole'));
    if (isBroken && inProgress === 0 && performance.now() - ownRunAt >= everyMs) {
      ownRunAt = performance.now();
      ownRun = take().catch(onFailed);
    }
    previous = chain;
  };
  void check();
  const timer = setInterval(() => void check(), CHECK_EVERY_MS);
  return {
    close: async () => {
      clearInterval(timer);
      await ownRun;
      await Promise.race([worker.close().then(() => queue.close()), after(CLOSE_WITHIN_MS, undefined, UNREF)]);
    },
  };
}

const FAILED = 'a background job failed: it runs again as planned';

/** State of BullMQ's plan of a next run. */
type Chain = 'whole' | 'late' | 'missing';

/** A timer that keeps no process running. */
const UNREF = { ref: false };
