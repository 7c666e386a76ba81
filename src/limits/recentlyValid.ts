/**
 * Remembers which credentials were valid lately. That lets nobody in: it only decides who is worth another look.
 */

/** How long a credential is remembered, up to twice that. */
const GENERATION_MS = 300_000;
const MOST_REMEMBERED = 10_000;

export class RecentlyValid {
  #young = new Set<string>();
  #old = new Set<string>();
  #since = performance.now();

  add(asker: string): void {
    if (this.#young.size >= MOST_REMEMBERED || performance.now() - this.#since > GENERATION_MS) {
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
