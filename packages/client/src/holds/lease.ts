/**
 * A lease as its holder sees it: it may have ended at the service `ttlMs` after the request was sent. The holder counts
 * it as over a margin earlier, and tells by an AbortSignal.
 */
import { ENDLESS } from '../durations.ts';
import { HoldfastError } from '../errors.ts';
import { CLOCKS, type Clocks } from './clocks.ts';

/**
 * Time by which a lease counts as over before its end: for drift of the clocks, and the way to the protected resource.
 */
export const marginOf = (ttlMs: number): number => Math.min(Math.max(ttlMs / 10, 50), 2000);

/** Both clocks at one moment. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

const NEVER: Moment = { monotonic: ENDLESS, wall: ENDLESS };

export class Lease {
  readonly #title: string;
  readonly clocks: Clocks;
  #ttlMs = ENDLESS;
  /** From this moment on, by either clock, the holder counts it as over. */
  #deadline = NEVER;
  #latestEnd = Number.NEGATIVE_INFINITY;
  #isFinished = false;
  #lost: HoldfastError | undefined;
  #failure: unknown;
  #controller: AbortController | undefined;
  #stopTimer = () => {};

  /** Called each time it was granted or renewed. */
  onExtended: () => void = () => {};

  /** @param title names of the reservations, for messages */
  constructor(title: string, clocks: Clocks = CLOCKS) {
    this.#title = title;
    this.clocks = clocks;
  }

  /**
   * The service granted or renewed the lease.
   * @param ttlMs its length; `Infinity`: it never ends
   * @param sentAt monotonic clock, when the request was sent
   * @param offset `offsetOf(clocks)` before the request: if the machine slept until the response, it was less than now
   */
  extend(ttlMs: number, sentAt: number, offset: number): void {
    const wallAhead = Math.min(offset, this.clocks.wall() - this.clocks.monotonic());
    this.#ttlMs = ttlMs;
    this.#failure = undefined;
    this.#deadline = this.#after({ monotonic: sentAt, wall: sentAt + wallAhead }, ttlMs);
    this.mayLast(ttlMs);
    this.#arm();
    this.onExtended();
  }

  /** A renewal is about to be sent. It may shorten the lease, also if its response is lost. */
  announce(ttlMs: number): void {
    const { monotonic, wall } = this.#after(this.#now(), ttlMs);
    this.#deadline = {
      monotonic: Math.min(this.#deadline.monotonic, monotonic),
      wall: Math.min(this.#deadline.wall, wall),
    };
    this.#arm();
  }

  /** A renewal has failed, and is repeated: the reason why the lease was lost, if it is not renewed in time. */
  failed(error: unknown): void {
    this.#failure = error;
  }

  /** A request that begins or renews the lease may be carried out until now: it may last `ttlMs` longer. */
  mayLast(ttlMs: number): void {
    this.#latestEnd = Math.max(this.#latestEnd, this.clocks.monotonic() + ttlMs);
  }

  /** Its length; `ENDLESS`: it never ends. */
  get ttlMs(): number {
    return this.#ttlMs;
  }

  /** Monotonic clock: the service has certainly ended the lease by then. */
  get latestEnd(): number {
    return this.#latestEnd;
  }

  /** Monotonic clock: the holder counts the lease as over from then on. */
  get deadline(): number {
    return this.clocks.monotonic() + this.remainingMs;
  }

  /** Monotonic clock: it has ended by then, unless a renewal whose response was lost was carried out. */
  get end(): number {
    return this.deadline + marginOf(this.#ttlMs);
  }

  /** Time until the deadline, by the clock that leaves less. */
  get remainingMs(): number {
    const now = this.#now();
    return Math.min(this.#deadline.monotonic - now.monotonic, this.#deadline.wall - now.wall);
  }

  /** Time until a third of the lease has passed. 0 or less: it has. */
  get renewInMs(): number {
    if (this.#ttlMs === ENDLESS) return this.#ttlMs;
    return this.remainingMs + marginOf(this.#ttlMs) - (this.#ttlMs * 2) / 3;
  }

  /** Returns true if less than half of it is left. */
  get isHalfOver(): boolean {
    return this.remainingMs + marginOf(this.#ttlMs) < this.#ttlMs / 2;
  }

  /** Why it counts as over, if it does. Looks at the clocks. */
  get lost(): HoldfastError | undefined {
    if (!this.#isFinished && this.#lost === undefined && this.remainingMs <= 0) {
      const message = `The lease of ${this.#title} was not renewed in time`;
      this.lose(new HoldfastError('LEASE_LOST', message, { cause: this.#failure }));
    }
    return this.#lost;
  }

  /**
   * Aborts before the lease can have ended. `aborted` and `throwIfAborted` look at the clocks whenever they are read.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      lookWhenRead(this.#controller.signal, () => this.lost);
      if (this.lost !== undefined) this.#controller.abort(this.lost);
      this.#arm();
    }
    return this.#controller.signal;
  }

  /** It has ended, or nobody can tell any more that it has not. */
  lose(error: HoldfastError): void {
    if (this.#isFinished || this.#lost !== undefined) return;
    this.#lost = error;
    this.#controller?.abort(error);
    this.#stopTimer();
  }

  /** Aborts the signal for another reason. The lease goes on. */
  abort(reason: unknown): void {
    if (this.signal.aborted) return;
    this.#controller?.abort(reason);
  }

  /** The holder gives it back: it is not watched any more, and its signal stays as it is. */
  finish(): void {
    this.#isFinished = true;
    this.#stopTimer();
  }

  #now(): Moment {
    return { monotonic: this.clocks.monotonic(), wall: this.clocks.wall() };
  }

  #after({ monotonic, wall }: Moment, ttlMs: number): Moment {
    if (ttlMs === ENDLESS) return NEVER;
    const usable = ttlMs - marginOf(ttlMs);
    return { monotonic: monotonic + usable, wall: wall + usable };
  }

  /** A lease whose signal nobody has asked for needs no timer. */
  #arm(): void {
    this.#stopTimer();
    if (this.#controller === undefined || this.#isFinished || this.#lost !== undefined) return;
    if (this.#deadline === NEVER) return;
    this.#stopTimer = this.clocks.timer(() => {
      if (this.lost === undefined) this.#arm();
    }, this.remainingMs);
  }
}

/** A process that was stopped runs its next line before its timers. So the signal looks at the clocks itself. */
function lookWhenRead(signal: AbortSignal, look: () => void): void {
  const throwIfAborted = signal.throwIfAborted.bind(signal);
  Object.defineProperties(signal, {
    aborted: {
      get: () => {
        look();
        return Reflect.get(AbortSignal.prototype, 'aborted', signal);
      },
    },
    throwIfAborted: {
      value: () => {
        look();
        throwIfAborted();
      },
    },
  });
}
