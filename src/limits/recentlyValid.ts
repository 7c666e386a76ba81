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

  add(credentialKey: string): void {
    if (this.#young.size >= MAX_REMEMBERED || performance.now() - this.#since > GENERATION_MS) {
      this.#old = this.#young;
      this.#young = new Set();
      this.#since = performance.now();
    }
    this.#young.add(credentialKey);
  }

  has(credentialKey: string): boolean {
    return this.#young.has(credentialKey) || this.#old.has(credentialKey);
  }

  delete(credentialKey: string): void {
    this.#young.delete(credentialKey);
    this.#old.delete(credentialKey);
  }
}
