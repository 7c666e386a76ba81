/**
 * Remembers which credentials were valid lately. This authenticates nobody: it only decides whether a look-up is worth
 * its cost.
 */

/** A credential is remembered for at least this time, and at most twice as long. */
const GENERATION_MS = 300_000;
const MAX_REMEMBERED = 10_000;

export class RecentlyValid {
  #young = new Set<string>();
  #old = new Set<string>();
  #since = performance.now();

  add(asker: string): void {
    if (this.#young.size >= MAX_REMEMBERED || performance.now() - this.#since > GENERATION_MS) {
      this.#old = this.#young;
      this.#young = new Set();
      this.#since = performance.now();
    }
    this.#young.add(asker);
  }

  has(asker: string): boolean {
    return this.#young.has(asker) || this.#old.has(asker);
  }

  delete(asker: string): void {
    this.#young.delete(asker);
    this.#old.delete(asker);
  }
}
