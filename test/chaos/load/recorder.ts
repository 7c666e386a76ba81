/** Gathers what happens in a round: its calls, its streams of events and its faults. */

import type { Call, EndState, FaultSeen, History, Lag, StreamSeen } from '../history.ts';
import { now } from '../random.ts';

/** Interval at which the process checks that it runs in time, in ms; and the delay that it accepts. */
const TICK_MS = 100;
const LATE_MS = 50;

const REPEATED = 'NOT_RESERVED, but the balancer may have repeated it';

/** A balancer repeats a request whose instance ended without an answer: a release then finds that it has been made. */
const mayBeRepeated = (call: Call): boolean =>
  call.at === 'balancer' &&
  call.verb === 'unreserve' &&
  (call.response ?? []).some(({ status }) => status === 'NOT_RESERVED');

export class Recorder {
  readonly #seed: string;
  readonly #setup: string;
  readonly #startedAt = now();
  readonly #calls: Call[] = [];
  readonly #streams: StreamSeen[] = [];
  readonly #faults: FaultSeen[] = [];
  readonly #lags: Lag[] = [];
  readonly #ticks: NodeJS.Timeout;
  #invoked = 0;

  /** @param setup its name */
  constructor(seed: string, setup: string) {
    this.#seed = seed;
    this.#setup = setup;
    let due = now() + TICK_MS;
    this.#ticks = setInterval(() => {
      const at = now();
      if (at > due + LATE_MS) this.#lags.push({ from: due, by: at });
      due = at + TICK_MS;
    }, TICK_MS);
  }

  /** Stops looking whether the process runs in time. */
  stop(): void {
    clearInterval(this.#ticks);
  }

  /** Returns the id of a call that is invoked now. */
  invoke(): number {
    return this.#invoked++;
  }

  call(call: Call): void {
    this.#calls.push(mayBeRepeated(call) ? { ...call, status: null, response: null, failure: REPEATED } : call);
  }

  stream(stream: StreamSeen): void {
    this.#streams.push(stream);
  }

  fault(fault: FaultSeen): void {
    this.#faults.push(fault);
  }

  /** Those so far. */
  get faults(): readonly FaultSeen[] {
    return this.#faults;
  }

  /** Returns all of it, the calls in the order of their invocation. */
  history(end: readonly EndState[]): History {
    return {
      seed: this.#seed,
      setup: this.#setup,
      startedAt: this.#startedAt,
      endedAt: now(),
      calls: this.#calls.toSorted((a, b) => a.id - b.id),
      streams: this.#streams.toSorted((a, b) => a.openedAt - b.openedAt),
      faults: [...this.#faults],
      end,
      lags: [...this.#lags],
    };
  }
}
