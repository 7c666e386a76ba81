/**
 * Deadlines of held calls, without a timer for each: one interval ends those that are past.
 */

/** How much later than its deadline a call may end, in ms. */
const GRAIN_MS = 50;

const bucketOf = (atMs: number): number => Math.ceil(atMs / GRAIN_MS);

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
