/**
 * Bounds the requests that a worker has in flight, so that slow receivers delay no others. Receivers that have answered
 * quickly, new ones, and slow ones have places of their own. A slow receiver can become a quick one only by several
 * quick answers in a row.
 */

/** Places of each sort of receiver. */
const PLACES = 128;
/** An answer that takes longer is slow, in ms. A receiver that seemed quick, or is new, then leaves its place. */
const SLOW_MS = 1000;
/** Number of quick answers in a row by which a new receiver becomes a quick one, and by which a slow one does. */
const [OF_NEW, OF_SLOW] = [3, 10];
/** Maximum number of receivers that are remembered. The one that answered first is forgotten: it is a new one again. */
const MAX_REMEMBERED = 100_000;

/** A bounded number of places. Who waits for one gets it in order. */
export class Lane {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /**
   * Runs something in a place, once there is one.
   * @param leaveAfterMs time after which it leaves its place, though it goes on; undefined: it does not
   */
  async run<T>(body: () => Promise<T>, leaveAfterMs?: number): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let hasLeft = false;
    const leave = () => {
      if (!hasLeft) this.#leave();
      hasLeft = true;
    };
    const timer = leaveAfterMs === undefined ? undefined : setTimeout(leave, leaveAfterMs);
    try {
      return await body();
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

export class Lanes {
  readonly #quick = new Lane(PLACES);
  readonly #new = new Lane(PLACES);
  readonly #slow = new Lane(PLACES);
  /** Receiver → number of quick answers in a row that it needs to be a quick one; 0: it is. New ones are missing. */
  readonly #needs = new Map<string, number>();

  /** Runs something in a place, and remembers how long it took. @param receiver names who answers */
  run(receiver: string, body: () => Promise<void>): Promise<void> {
    const needs = this.#needs.get(receiver) ?? OF_NEW;
    const lane = needs === 0 ? this.#quick : needs <= OF_NEW ? this.#new : this.#slow;
    const timed = async () => {
      const beganAt = performance.now();
      await body().finally(() => this.#remember(receiver, performance.now() - beganAt));
    };
    return lane.run(timed, lane === this.#slow ? undefined : SLOW_MS);
  }

  #remember(receiver: string, tookMs: number): void {
    const needs = this.#needs.get(receiver) ?? OF_NEW;
    this.#needs.delete(receiver);
    this.#needs.set(receiver, tookMs > SLOW_MS ? OF_SLOW + OF_NEW : Math.max(0, needs - 1));
    const [oldest] = this.#needs.keys();
    if (this.#needs.size > MAX_REMEMBERED && oldest !== undefined) this.#needs.delete(oldest);
  }
}
