/**
 * Work that goes on after its request was answered.
 */
export class Background {
  readonly #pending = new Set<Promise<void>>();

  /** @param work that never fails */
  add(work: Promise<void>): void {
    const pending = work.finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  /** Waits for the work that goes on. */
  async close(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
