/**
 * Remembers for a while in which tenants a sweep had to move the queue (docs/specification.md#waiting). Workers take
 * turns at sweeping, and Prometheus reads more seldom than they sweep: a gauge of the last sweep would miss findings.
 */

/** Time for which a finding is counted, in ms: many scrapes of Prometheus. */
export const REMEMBER_MS = 600_000;

export class StuckQueues {
  /** Tenant → when its queue was last found stuck, oldest first. */
  readonly #found = new Map<string, number>();

  /** @param nowMs the time in ms; tests pass their own */
  note(tenants: readonly string[], nowMs = Date.now()): void {
    this.#forget(nowMs);
    for (const tenant of tenants) {
      this.#found.delete(tenant);
      this.#found.set(tenant, nowMs);
    }
  }

  /** @returns the number of tenants whose queue was found stuck in the last REMEMBER_MS */
  count(nowMs = Date.now()): number {
    this.#forget(nowMs);
    return this.#found.size;
  }

  #forget(nowMs: number): void {
    for (const [tenant, foundMs] of this.#found) {
      if (foundMs > nowMs - REMEMBER_MS) return;
      this.#found.delete(tenant);
    }
  }
}
