/**
 * A histogram that costs a request next to nothing: it counts in plain arrays, and makes the form that prom-client
 * writes when it is scraped. prom-client's own copies, checks and hashes the labels at each observation.
 */
import { Histogram, type Registry } from 'prom-client';

interface Description {
  readonly name: string;
  readonly help: string;
  /** Upper bounds in s, ascending. */
  readonly buckets: readonly number[];
  readonly labelNames: readonly string[];
}

type Label = string | number;

/** Observations with one combination of labels. */
interface Series {
  readonly labels: readonly Label[];
  /** By bucket, each without the ones below it. The last one counts what is above all bounds. */
  readonly counts: Float64Array;
  sum: number;
}

export class Times extends Histogram {
  readonly #description: Description;
  readonly #series = new Map<Label, Series>();

  constructor(description: Description, registry: Registry) {
    const { buckets, ...named } = description;
    super({ ...named, buckets: [...buckets], registers: [registry] });
    this.#description = description;
  }

  /**
   * Counts a time.
   * @param labels their values, in the order of labelNames
   */
  add(durationS: number, ...labels: readonly Label[]): void {
    const { buckets } = this.#description;
    const key = labels.join('\n');
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels, counts: new Float64Array(buckets.length + 1), sum: 0 };
      this.#series.set(key, series);
    }
    let i = 0;
    while (i < buckets.length && durationS > (buckets[i] ?? 0)) i++;
    series.counts[i] = (series.counts[i] ?? 0) + 1;
    series.sum += durationS;
  }

  /** prom-client calls this for the text and for get(). Its declarations do not have it. */
  async getForPromString() {
    const { name, help } = this.#description;
    const values = [...this.#series.values()].flatMap((series) => this.#valuesOf(series));
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }

  #valuesOf({ labels, counts, sum }: Series) {
    const { name, buckets, labelNames } = this.#description;
    const sharedLabels = Object.fromEntries(labelNames.map((label, i) => [label, labels[i] ?? '']));
    let total = 0;
    const below = [...buckets, '+Inf'].map((le, i) => {
      total += counts[i] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: total };
    });
    return [
      ...below,
      { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum },
      { metricName: `${name}_count`, labels: {}, sharedLabels, value: total },
    ];
  }
}
