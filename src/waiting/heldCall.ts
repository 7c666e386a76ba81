/**
 * One call whose response is held while its request waits.
 */
import type { Caller } from '../domain/waiting.ts';
import type { Pending } from './pending.ts';

const nothing = () => {};
const NONE: ReadonlySet<string> = new Set();

export class HeldCall {
  readonly request: Pending<unknown>;
  readonly caller: Caller;
  /** When it came, as performance.now() counts. */
  readonly beganAt = performance.now();
  /** When its caller gets a response at the latest. */
  endsAt: number;
  /** Whether it makes room for others before its time: Redis does not know when it ends. */
  givesWay = false;
  /** Whether it outlasts a call of its ticket that ended early: Redis may take the ticket for held beyond its time. */
  isOutlasting = false;
  /** Settles when the response is due. */
  readonly done: Promise<void>;
  /** Tickets that were granted and are to be claimed. */
  granted = NONE;
  /** Whether its script has answered once: the request is charged. */
  hasRun = false;
  /** Whether its script is running. */
  isRunning = false;
  /** Whether the tenant was reset while its script was running. */
  wasReset = false;
  isOver = false;
  /** Number of beats that had been sent when its script answered last. */
  answeredAtBeat = 0;
  #resolve: () => void = nothing;
  #reject: (error: unknown) => void = nothing;

  /** @param pollMs how long the response may be held */
  constructor(request: Pending<unknown>, caller: Caller, pollMs: number) {
    this.request = request;
    this.caller = caller;
    this.endsAt = this.beganAt + pollMs;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Notes that a ticket was granted. Thousands of calls are held, and few have a grant: those get a set. */
  grant(ticket: string): void {
    this.granted = new Set(this.granted).add(ticket);
  }

  /** Takes the grants that are to be claimed. */
  takeGranted(): ReadonlySet<string> {
    const { granted } = this;
    this.granted = NONE;
    return granted;
  }

  get leftMs(): number {
    return this.endsAt - performance.now();
  }

  /** Lets the response be sent: the result so far, or an error. */
  end(error?: unknown): void {
    this.isOver = true;
    if (error === undefined) this.#resolve();
    else this.#reject(error);
  }
}
