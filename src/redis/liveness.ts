/**
 * Decides whether this process should be restarted: its clients have had no usable Redis for a while, although a new
 * client connects. While Redis itself is unreachable, no process is restarted.
 */
const CHECK_EVERY_MS = 5000;

export class Liveness {
  readonly #isUsable: () => Promise<boolean>;
  readonly #canConnect: () => Promise<boolean>;
  readonly #withinMs: number;
  readonly #timer: NodeJS.Timeout;
  #usableAt = performance.now();
  #fault: string | null = null;
  #isChecking = false;

  /**
   * @param isUsable whether the clients of this process can use Redis
   * @param canConnect whether a new client can
   * @param withinMs how long Redis may be unusable
   */
  constructor(isUsable: () => Promise<boolean>, canConnect: () => Promise<boolean>, withinMs: number) {
    this.#isUsable = isUsable;
    this.#canConnect = canConnect;
    this.#withinMs = withinMs;
    this.#timer = setInterval(() => void this.#check(), Math.min(CHECK_EVERY_MS, withinMs / 2));
  }

  /** Why the process should be restarted; null if it should not. */
  get fault(): string | null {
    return this.#fault;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    if (await this.#isUsable()) {
      this.#usableAt = performance.now();
      this.#fault = null;
    } else if (performance.now() - this.#usableAt >= this.#withinMs)
      this.#fault = (await this.#canConnect()) ? 'this instance has lost Redis, which new clients can reach' : null;
    this.#isChecking = false;
  }
}
