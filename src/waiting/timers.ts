/**
 * The two kinds of timers of the queue: for the deadlines of long polls, and for what is due next of each tenant.
 */

/** Time by which a call may end later than its deadline, in ms. */
const GRAIN_MS = 50;

const bucketOf = (atMs: number): number => Math.ceil(atMs / GRAIN_MS);

/** Deadlines of long polls, without a timer for each: one interval ends those that are past. */
export class Deadlines<Call extends { readonly endsAt: number }> {
  readonly #onPast: (call: Call) => void;
  /** Deadline, rounded up to the grain → calls. */
  readonly #buckets = new Map<number, Set<Call>>();
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onPast called with each call whose deadline is past */
  constructor(onPast: (call: Call) => void) {
    this.#onPast = onPast;
  }

  /** Adds a call. Its `endsAt` is in ms, as performance.now() counts them. */
  add(call: Call): void {
    const bucket = bucketOf(call.endsAt);
    const calls = this.#buckets.get(bucket) ?? new Set();
    this.#buckets.set(bucket, calls.add(call));
    if (this.#timer !== undefined) {
      this.#next = Math.min(this.#next, bucket);
      return;
    }
    this.#next = Math.min(bucket, bucketOf(performance.now()));
    this.#timer = setInterval(() => this.#sweep(), GRAIN_MS).unref();
  }

  delete(call: Call): void {
    const bucket = bucketOf(call.endsAt);
    const calls = this.#buckets.get(bucket);
    if (calls?.delete(call) === true && calls.size === 0) this.#buckets.delete(bucket);
  }

  #sweep(): void {
    const now = performance.now() / GRAIN_MS;
    for (; this.#next <= now; this.#next++) {
      const calls = this.#buckets.get(this.#next);
      this.#buckets.delete(this.#next);
      for (const call of calls ?? []) this.#onPast(call);
    }
    if (this.#buckets.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Longest delay of a timer, in ms. Later times are left to replies, beats and sweeps to come. */
const MAX_DELAY_MS = 60_000;

/** Redis's clock and this timer both round: a look must not come too early. */
const LATE_MS = 1;
/** Instances that know of the same time spread their looks over this time. */
const JITTER_MS = 4;

interface Armed {
  /** As performance.now() counts. */
  readonly at: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Looks at a tenant's queue when something of it is due, so that a reservation that expires is handed on at once. There
 * is one timer for each tenant, for what is due next (docs/specification.md#waiting-lifetimes).
 */
export class DueTimers {
  readonly #look: (tenant: string) => Promise<number>;
  readonly #armed = new Map<string, Armed>();
  #isClosed = false;

  /** @param look ends what is due; returns ms until something is next due, -1: nothing is */
  constructor(look: (tenant: string) => Promise<number>) {
    this.#look = look;
  }

  /**
   * Looks when something is due, unless a look is planned before.
   * @param dueInMs -1: nothing is due
   */
  readonly arm = (tenant: string, dueInMs: number): void => {
    if (dueInMs < 0 || dueInMs > MAX_DELAY_MS || this.#isClosed) return;
    const delayMs = dueInMs + LATE_MS + Math.random() * JITTER_MS;
    const at = performance.now() + delayMs;
    const armed = this.#armed.get(tenant);
    if (armed !== undefined && armed.at <= at) return;
    clearTimeout(armed?.timer);
    this.#armed.set(tenant, { at, timer: setTimeout(() => this.#fire(tenant), delayMs).unref() });
  };

  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#armed.values()) clearTimeout(timer);
    this.#armed.clear();
  }

  #fire(tenant: string): void {
    this.#armed.delete(tenant);
    // If Redis is away, the next beat or sweep finds what is due.
    this.#look(tenant).then(
      (dueInMs) => this.arm(tenant, dueInMs),
      () => {},
    );
  }
}
