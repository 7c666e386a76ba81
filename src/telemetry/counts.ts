/**
 * Counts of metrics between two scrapes.
 */
import { Counter, type Registry } from 'prom-client';

interface Description {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly [string, string];
}

/**
 * A counter that counts in a plain map, and tells prom-client its totals when it is scraped. With two labels: by the
 * value of the first one, then of the second.
 */
export class Counts {
  readonly #totals = new Map<string, Map<string, number>>();

  constructor(description: Description, registry: Registry) {
    const [first, second] = description.labelNames;
    const totals = this.#totals;
    new Counter({
      ...description,
      registers: [registry],
      collect() {
        this.reset();
        for (const [one, below] of totals)
          for (const [other, total] of below) this.inc({ [first]: one, [second]: other }, total);
      },
    });
  }

  /** Counts one. */
  add(first: string, second: string): void {
    const below = this.#totals.get(first);
    if (below === undefined) this.#totals.set(first, new Map([[second, 1]]));
    else below.set(second, (below.get(second) ?? 0) + 1);
  }
}

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
