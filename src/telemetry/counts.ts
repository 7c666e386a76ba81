/** A counter that counts in a plain map, and tells prom-client its totals when it is scraped. */
import { Counter, type Registry } from 'prom-client';

interface Description {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly [string, string];
}

/** With two labels: by the value of the first one, then of the second. */
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
