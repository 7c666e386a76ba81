/**
 * Logs that something is away, and that it is back: once for each reason in an outage, not for every attempt. An outage
 * that lasts is said again every ten minutes.
 */
interface Log {
  warn(fields: { readonly err: unknown }, text: string): void;
  info(text: string): void;
}

const AGAIN_AFTER_MS = 600_000;
/** Reasons with changing texts must not take up memory, nor fill the log. */
const MAX_REASONS = 10;

export class Outage {
  readonly #log: Log;
  readonly #away: string;
  readonly #back: string;
  /** When each reason of this outage was logged, as performance.now() counts. */
  readonly #loggedAt = new Map<string, number>();
  #failedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param away the warning, which is logged with the error
   * @param back what is logged when it is over
   */
  constructor(log: Log, away: string, back: string) {
    this.#log = log;
    this.#away = away;
    this.#back = back;
  }

  /** Notes an attempt that failed. */
  failed(err: unknown): void {
    const now = performance.now();
    this.#failedAt = now;
    const reason = err instanceof Error ? err.message : '';
    const loggedAt = this.#loggedAt.get(reason);
    const isLogged = loggedAt === undefined ? this.#loggedAt.size >= MAX_REASONS : now - loggedAt < AGAIN_AFTER_MS;
    if (isLogged) return;
    this.#loggedAt.set(reason, now);
    this.#log.warn({ err }, this.#away);
  }

  /**
   * Notes an attempt that worked.
   * @param beganAt when it began, as performance.now() counts. One that began before the last failure says nothing
   */
  worked(beganAt = performance.now()): void {
    if (this.#loggedAt.size === 0 || beganAt < this.#failedAt) return;
    this.#loggedAt.clear();
    this.#log.info(this.#back);
  }
}
