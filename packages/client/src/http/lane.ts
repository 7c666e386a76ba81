/**
 * Batches calls of one kind: those that are made while requests are in flight travel together in the next one. A lone
 * call leaves at once. Of many calls, no request carries more than a third: the client handles the results of one while
 * the service carries out the others. Calls leave in the order in which they came. Requests may overtake each other on
 * their way: so a reserve stays while an earlier one of the same name is in flight, and their queue is that of their
 * calls.
 *
 * A batch that is refused as a whole is sent again in halves, down to the single call that gets the error. A batch
 * whose connection was lost is sent again, with others.
 */
import { ENDLESS } from '../durations.ts';
import { HoldfastError, unexpected } from '../errors.ts';
import type { Answer, CallOptions } from './api.ts';
import { Entry, type Traffic } from './entry.ts';
import type { Exchange } from './exchange.ts';
import { hasField, isForAll, isUsedUp, mayHaveRun } from './failures.ts';
import { attemptMs, delayBefore } from './retries.ts';

/** Requests of one kind in flight, before calls are queued, unless the kind says otherwise. */
export const MAX_IN_FLIGHT = 3;
/** After this many ms a request without a response does not keep others from leaving. */
const LATE_MS = 1000;
/** The service takes no more (docs/specification.md#names-and-sizes: MAX_BATCH). */
export const MAX_ITEMS = 500;
/** Half of what the service takes, in bytes, if each UTF-16 unit takes three of them. */
const MAX_LENGTH = (512 * 1024) / 3;

/** A request carries at most so many calls, or a third of those that have no answer yet, if that is more. */
const FEW = 32;

/** A kind of call. */
export interface Kind<Item, Result> {
  /** Below `/api/v1`. */
  readonly path: string;
  readonly maxInFlight?: number;
  /** The path of a request with this item, if it is another one. */
  readonly pathOf?: (item: Item) => string | undefined;
  /** Number of items that it counts as; 1 by default. */
  readonly sizeOf?: (item: Item) => number;
  /** Two calls with the same mark do not travel in one request. */
  readonly markOf?: (item: Item) => string | undefined;
  /** Calls of the same name are carried out in their order. */
  readonly nameOf?: (item: Item) => string | undefined;
  /** A field of each result; `status` by default. */
  readonly has?: string;
  /** Puts back what a minimal result leaves out (docs/specification.md#minimal-results). */
  restore?(result: Partial<Result>, item: Item): Result;
  /** Called with the result of a call that was given up after it was sent. */
  readonly late?: (result: Result) => void;
}

export class Lane<Item, Result> {
  readonly #exchange: Exchange;
  readonly #kind: Kind<Item, Result>;
  readonly #traffic: Traffic;
  #queue: Entry<Item, Result>[] = [];
  #inFlight = 0;
  #requests = 0;
  /** The names of the calls in flight, with the number of their request. */
  readonly #names = new Map<string | undefined, number>();
  #isDue = false;

  /** @param traffic shared by the lanes of a client */
  constructor(exchange: Exchange, kind: Kind<Item, Result>, traffic: Traffic) {
    this.#exchange = exchange;
    this.#kind = kind;
    this.#traffic = traffic;
  }

  /** @throws HoldfastError; the reason of the signal, as soon as it aborts */
  call(item: Item, options: CallOptions = {}): Promise<Answer<Result>> {
    const { signal, deadline = this.#exchange.retries.deadline() } = options;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      this.#queue.push(new Entry(item, deadline, this.#traffic, options, resolve, reject));
      this.#soon();
    });
  }

  /** Calls that are made in the same iteration of the event loop travel together, unless there are many. */
  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      while (this.#inFlight < (this.#kind.maxInFlight ?? MAX_IN_FLIGHT)) {
        const batch = this.#take();
        if (batch.length === 0) return;
        this.#occupy(batch);
      }
    });
  }

  /** Counts a request as in flight until it has ended, or is so late that its instance may be gone. */
  #occupy(batch: readonly Entry<Item, Result>[]): void {
    this.#inFlight++;
    const request = ++this.#requests;
    const names = batch.flatMap((entry) => this.#nameOf(entry) ?? []);
    for (const name of names) this.#names.set(name, request);
    let isFree = false;
    const free = () => {
      clearTimeout(timer);
      if (isFree) return;
      isFree = true;
      this.#inFlight--;
      for (const name of names) if (this.#names.get(name) === request) this.#names.delete(name);
      this.#soon();
    };
    const timer = setTimeout(free, LATE_MS);
    void this.#carry(batch).then(free);
  }

  #nameOf({ item }: Entry<Item, Result>): string | undefined {
    return this.#kind.nameOf?.(item);
  }

  /** Takes as many calls from the queue as fit into one request, but for those that must not overtake others. */
  #take(): Entry<Item, Result>[] {
    const { sizeOf, markOf } = this.#kind;
    const taken: Entry<Item, Result>[] = [];
    const kept: Entry<Item, Result>[] = [];
    const marks = new Set<string>();
    const most = Math.max(FEW, this.#traffic.calls / 3);
    let [size, length, end] = [0, 0, 0];
    for (; end < this.#queue.length && taken.length < most; end++) {
      const entry = this.#queue[end];
      if (entry === undefined || entry.isSettled) continue;
      if (this.#names.has(this.#nameOf(entry))) {
        kept.push(entry);
        continue;
      }
      const mark = markOf?.(entry.item);
      size += sizeOf?.(entry.item) ?? 1;
      length += entry.text.length + 1;
      const fits = size <= MAX_ITEMS && length <= MAX_LENGTH && (mark === undefined || !marks.has(mark));
      if (taken.length > 0 && !fits) break;
      if (mark !== undefined) marks.add(mark);
      taken.push(entry);
    }
    this.#queue = [...kept, ...this.#queue.slice(end)];
    return taken;
  }

  /**
   * Sends calls in one request.
   * @returns undefined, or an error that any other call would get too
   */
  async #carry(batch: readonly Entry<Item, Result>[]): Promise<HoldfastError | undefined> {
    const entries = batch.filter(({ isSettled }) => !isSettled);
    const [first] = entries;
    if (first === undefined) return undefined;
    try {
      await this.#send(entries);
      return undefined;
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      for (const entry of entries) entry.repeated ||= mayHaveRun(error);
      if (entries.length === 1 || isForAll(error)) {
        this.#again(entries, error);
        return (this.#kind.sizeOf?.(first.item) ?? 1) === 1 && isUsedUp(error) ? error : undefined;
      }
      const middle = entries.length >> 1;
      const right = entries.slice(middle);
      const forOthers = await this.#carry(entries.slice(0, middle));
      if (forOthers === undefined) return this.#carry(right);
      this.#again(right, forOthers);
      return forOthers;
    }
  }

  async #send(entries: readonly Entry<Item, Result>[]): Promise<void> {
    const { pathOf, late, restore, has = 'status' } = this.#kind;
    let { path } = this.#kind;
    let deadline = ENDLESS;
    let body = '';
    for (const entry of entries) {
      entry.tries++;
      path = pathOf?.(entry.item) ?? path;
      deadline = Math.min(deadline, entry.deadline);
      body += `${body === '' ? '[' : ','}${entry.text}`;
    }
    const { body: results, sentAt } = await this.#exchange.send({
      method: 'POST',
      path,
      body: `${body}]`,
      minimal: restore !== undefined,
      timeoutMs: attemptMs(deadline),
    });
    const isResult = (result: unknown) => hasField(result, has);
    if (!Array.isArray(results) || results.length !== entries.length || !results.every(isResult)) throw unexpected();
    for (const [i, entry] of entries.entries()) {
      // As the OpenAPI description says, from which the type is made.
      const result = restore === undefined ? (results[i] as Result) : restore(results[i], entry.item);
      this.#names.delete(this.#nameOf(entry));
      if (entry.isSettled) late?.(result);
      else entry.resolve(result, sentAt);
    }
  }

  /** Queues calls again after a pause, before those that came later; rejects the calls that are not repeated. */
  #again(entries: readonly Entry<Item, Result>[], error: HoldfastError): void {
    let delay: number | undefined;
    const again = entries.filter((entry) => {
      if (entry.isSettled) return false;
      const own = delayBefore(error, entry.tries, entry.deadline);
      if (own === undefined) entry.reject(error);
      else entry.failed(error);
      delay ??= own; // of the oldest one, for all: they stay together
      return own !== undefined;
    });
    const [first] = again;
    if (first === undefined) return;
    this.#exchange.retries.tell(error, first.tries, delay ?? 0);
    const timer = setTimeout(() => {
      this.#queue = [...again, ...this.#queue];
      this.#soon();
    }, delay);
    // So that a lone call that is given up leaves nothing that keeps the process alive.
    if (again.length === 1) first.timer = timer;
  }
}
