/**
 * Looks at a tenant's queue when something of it is due, so that a reservation that expires is handed on at once. There
 * is one timer for each tenant, for what is due next (docs/specification.md#waiting-lifetimes).
 */

/** What is due later is left to replies, beats and sweeps to come. */
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
