/** A clock that tests set forward. Otherwise it goes on as time does. */
import { type Clocks, startTimer } from '../holds/clocks.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
  real: ReturnType<typeof setTimeout>;
}

export class FakeClock implements Clocks {
  #aheadMs = 0;
  readonly #timers = new Set<Timer>();

  monotonic(): number {
    return performance.now() + this.#aheadMs;
  }

  wall(): number {
    return Date.now() + this.#aheadMs;
  }

  timer(run: () => void, ms: number): () => void {
    const timer: Timer = { at: this.monotonic() + ms, run, real: startTimer(() => this.#run(timer), ms) };
    this.#timers.add(timer);
    return () => this.#stop(timer);
  }

  /** Lets time pass: all that is due on the way happens in its order, each with what follows from it. */
  async advance(ms: number): Promise<void> {
    const end = this.monotonic() + ms;
    for (;;) {
      await settled();
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#aheadMs += Math.max(0, next.at - this.monotonic());
      this.#run(next);
    }
    this.#aheadMs += Math.max(0, end - this.monotonic());
    for (const timer of this.#timers) {
      clearTimeout(timer.real);
      timer.real = startTimer(() => this.#run(timer), timer.at - this.monotonic());
    }
  }

  #run(timer: Timer): void {
    this.#stop(timer);
    timer.run();
  }

  #stop(timer: Timer): void {
    clearTimeout(timer.real);
    this.#timers.delete(timer);
  }
}

/** More iterations than any call of the fake takes. They pass under the fake timers of test frameworks, too. */
const ITERATIONS = 100;

export async function settled(): Promise<void> {
  for (let i = 0; i < ITERATIONS; i++) await undefined;
}
