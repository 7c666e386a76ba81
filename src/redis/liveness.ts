/**
 * Tells whether this process should be restarted: its own clients have had no usable Redis for a while, although a new
 * client gets through. While Redis itself is away no process is restarted for it.
 */
const CHECK_EVERY_MS = 5000;

export class Liveness {
  readonly #isUsable: () => Promise<boolean>;
  readonly #getsThrough: () => Promise<boolean>;
  readonly #withinMs: number;
  readonly #timer: NodeJS.Timeout;
  #usableAt = performance.now();
  #fault: string | null = null;
  #isChecking = false;

  /**
   * @param isUsable whether Redis is usable by the clients of this process
   * @param getsThrough whether it is by a client that is made for the purpose
   * @param withinMs how long Redis may be unusable
   */
  constructor(isUsable: () => Promise<boolean>, getsThrough: () => Promise<boolean>, withinMs: number) {
    this.#isUsable = isUsable;
    this.#getsThrough = getsThrough;
    this.#withinMs = withinMs;
    this.#timer = setInterval(() => void this.#check(), Math.min(CHECK_EVERY_MS, withinMs / 2));
  }

  /** Why it should be restarted; null if it should not. */
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
      this.#fault = (await this.#getsThrough()) ? 'this instance has lost Redis, which others can reach' : null;
    this.#isChecking = false;
  }
}
