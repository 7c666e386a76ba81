/**
 * Wakes a worker when the outbox of a tenant has something new. That is a mere hint: a look every few seconds finds
 * what no hint told of (worker.ts).
 */
import type { Queue } from 'bullmq';
import { onFirstUse } from '../domain/firstUse.ts';
import type { RedisClient } from '../redis/client.ts';
import { JOBS_PREFIX } from '../redis/keys.ts';

/** The queue of hints. A job is a tenant whose outbox a worker should look at. */
export const DELIVERIES = 'deliveries';

/** An instance sends at most one hint for a tenant in this time, in ms. */
const ONE_IN_MS = 50;
/** While Redis does not answer, hints are dropped. */
const MAX_UNANSWERED = 1000;

export class Hints {
  readonly #connect: () => RedisClient;
  /** Tenants with a hint that will be sent or is being sent. */
  readonly #pending = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #opened: { readonly queue: Queue; readonly connection: RedisClient } | null = null;

  /** @param connect makes a connection for BullMQ alone. Called for the first hint: most services have no notices */
  constructor(connect: () => RedisClient) {
    this.#connect = connect;
  }

  /** Wakes a worker soon. */
  readonly wake = (tenant: string): void => {
    if (this.#pending.has(tenant) || this.#pending.size >= MAX_UNANSWERED) return;
    this.#pending.add(tenant);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#send(tenant)
        .catch(() => {})
        .finally(() => this.#pending.delete(tenant));
    }, ONE_IN_MS);
    this.#timers.add(timer);
  };

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    // It waits for nothing: hints may be lost.
    this.#opened?.connection.disconnect();
    await this.#opened?.queue.close().catch(() => {});
  }

  readonly #open = onFirstUse(async () => {
    const { Queue } = await import('bullmq');
    const connection = this.#connect();
    const queue = new Queue(DELIVERIES, { connection, prefix: JOBS_PREFIX });
    queue.on('error', () => {});
    this.#opened = { queue, connection };
    return queue;
  });

  async #send(tenant: string): Promise<void> {
    const queue = await this.#open();
    await queue.add(
      DELIVERIES,
      { tenant },
      { deduplication: { id: tenant }, removeOnComplete: true, removeOnFail: true },
    );
  }
}
