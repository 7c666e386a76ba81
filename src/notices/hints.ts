/**
 * Wakes a worker when the outbox of a tenant has something new. That is a mere hint: a look every few seconds finds
 * what no hint told of (worker.ts).
 */
import { Queue } from 'bullmq';
import type { RedisClient } from '../redis/client.ts';
import { JOBS_PREFIX } from '../redis/keys.ts';

/** The queue of hints. A job is a tenant whose outbox a worker should look at. */
export const DELIVERIES = 'deliveries';

/** An instance sends at most one hint for a tenant in this time, in ms. */
const ONE_IN_MS = 50;
/** While Redis does not answer, hints are dropped. */
const MAX_UNANSWERED = 1000;

export class Hints {
  readonly #queue: Queue;
  /** The tenants of which a hint will be sent, or is on its way. */
  readonly #pending = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();

  /** @param connection for BullMQ alone */
  constructor(connection: RedisClient) {
    this.#queue = new Queue(DELIVERIES, { connection, prefix: JOBS_PREFIX });
    this.#queue.on('error', () => {});
  }

  /** Wakes a worker soon. */
  readonly wake = (tenant: string): void => {
    if (this.#pending.has(tenant) || this.#pending.size >= MAX_UNANSWERED) return;
    this.#pending.add(tenant);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      addHints(this.#queue, [tenant])
        .catch(() => {})
        .finally(() => this.#pending.delete(tenant));
    }, ONE_IN_MS);
    this.#timers.add(timer);
  };

  close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    return this.#queue.close();
  }
}

/** Adds a job for each tenant that has none. */
export const addHints = (queue: Queue, tenants: readonly string[]): Promise<unknown> =>
  queue.addBulk(
    tenants.map((tenant) => ({
      name: DELIVERIES,
      data: { tenant },
      opts: { deduplication: { id: tenant }, removeOnComplete: true, removeOnFail: true },
    })),
  );
