/**
 * A fixed set of items, such as connections, for many callers: one caller uses an item at a time. Callers that find
 * none free queue up, and leave the queue when they stop waiting, so that no work is done for callers that have gone.
 *
 * A tenant uses at most half of the items. The next free one goes to the tenant that uses the fewest; of several, to
 * the one that has not had one for longest. So the slow work of one tenant does not keep the others waiting.
 */
import { HoldfastError } from '../domain/errors.ts';

/** Callers of a tenant for each item, including those in the queue. */
const CALLERS_PER_ITEM = 25;

/** A tenant's use of the items. */
interface Use {
  used: number;
  waiting: number;
  /** The number of the last time that it took an item; 0: it has taken none since it was idle */
  lastTaken: number;
}

/** A caller in the queue. */
interface Waiting<Item> {
  readonly use: Use;
  readonly proceed: (item: Item) => void;
}

export class Pool<Item> {
  readonly #free: Item[];
  readonly #maxUsed: number;
  readonly #maxCallers: number;
  /** The oldest first. */
  readonly #queue = new Set<Waiting<Item>>();
  readonly #uses = new Map<string, Use>();
  #taken = 0;

  constructor(items: readonly Item[]) {
    this.#free = [...items];
    this.#maxUsed = Math.ceil(items.length / 2);
    this.#maxCallers = items.length * CALLERS_PER_ITEM;
  }

  /**
   * Runs `work` with an item that nobody else uses meanwhile.
   * @param signal aborted when the caller stops waiting
   * @param tenant whose work it is; null: no tenant's, and it is not limited
   * @throws the signal's reason, if it is aborted before an item is free; HoldfastError overloaded, if the tenant has
   * too many callers; the errors of `work`
   */
  async take<T>(work: (item: Item) => Promise<T>, signal: AbortSignal, tenant: string | null): Promise<T> {
    const use = (tenant === null ? undefined : this.#uses.get(tenant)) ?? { used: 0, waiting: 0, lastTaken: 0 };
    if (use.used + use.waiting >= this.#maxCallers) throw tooMany();
    if (tenant !== null) this.#uses.set(tenant, use);
    try {
      // Prefers the item that was used last: connections that are not needed are never made.
      const free = use.used < this.#maxUsed ? this.#free.pop() : undefined;
      if (free !== undefined) this.#begin(use);
      const item = free ?? (await this.#wait(signal, use));
      return await work(item).finally(() => this.#giveBack(item, use));
    } finally {
      if (tenant !== null && use.used + use.waiting === 0) this.#uses.delete(tenant);
    }
  }

  #begin(use: Use): void {
    use.used++;
    use.lastTaken = ++this.#taken;
  }

  #giveBack(item: Item, use: Use): void {
    use.used--;
    const next = this.#next();
    if (next === undefined) this.#free.push(item);
    else next.proceed(item);
  }

  /** The caller that gets the next free item. */
  #next(): Waiting<Item> | undefined {
    let next: Waiting<Item> | undefined;
    for (const waiting of this.#queue)
      if (waiting.use.used < this.#maxUsed && (next === undefined || isBefore(waiting.use, next.use))) next = waiting;
    return next;
  }

  #wait(signal: AbortSignal, use: Use): Promise<Item> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        use.waiting--;
        this.#queue.delete(waiting);
        signal.removeEventListener('abort', giveUp);
      };
      const giveUp = () => {
        leave();
        reject(signal.reason);
      };
      const proceed = (item: Item) => {
        leave();
        this.#begin(use);
        resolve(item);
      };
      const waiting = { use, proceed };
      use.waiting++;
      this.#queue.add(waiting);
      signal.addEventListener('abort', giveUp);
    });
  }
}

const isBefore = (one: Use, other: Use): boolean =>
  one.used < other.used || (one.used === other.used && one.lastTaken < other.lastTaken);

const tooMany = () =>
  new HoldfastError(
    'overloaded',
    'Too many requests of this tenant wait for the database at this instance. Nothing was done: repeat the call.',
  );
