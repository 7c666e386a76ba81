/**
 * Measures several things in turn, over several rounds, so that other load of this machine affects all of them. A
 * figure is the median of its rounds, with the least and the greatest.
 */

/** The number of rounds of measurements that take about a second. Longer ones have fewer. */
export const ROUNDS = 3;

/** The values of a figure, one for each round. */
export interface Figure {
  readonly rounds: readonly number[];
  readonly median: number;
  /** The quartiles. */
  readonly q1: number;
  readonly q3: number;
  readonly min: number;
  readonly max: number;
}

/** @param rounds at least one */
export function figureOf(rounds: readonly number[]): Figure {
  const sorted = rounds.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const { length } = sorted;
  const [q1, q3] = [at(length >> 2), at(length - 1 - (length >> 2))];
  return { rounds, median: at(length >> 1), q1, q3, min: at(0), max: at(length - 1) };
}

/** Divides one figure by another, round by round, so that load that slowed both in a round cancels out. */
export function ratioOf(figure: Figure, beside: Figure): Figure {
  return figureOf(figure.rounds.map((value, i) => value / (beside.rounds[i] ?? beside.median)));
}

/** Something to measure repeatedly. */
export class Series<Sample> {
  readonly samples: Sample[] = [];
  readonly #measure: () => Promise<Sample>;

  constructor(measure: () => Promise<Sample>) {
    this.#measure = measure;
  }

  async round(): Promise<void> {
    this.samples.push(await this.#measure());
  }

  /** The results of all rounds of one measurement. */
  figure(of: (sample: Sample) => number): Figure {
    return figureOf(this.samples.map(of));
  }
}

/** Measures each in turn, over several rounds. The order is reversed in every other round. */
export async function inTurn(series: readonly Series<unknown>[], rounds = ROUNDS): Promise<void> {
  for (let i = 0; i < rounds; i++) for (const one of i % 2 === 0 ? series : series.toReversed()) await one.round();
}

/** Measures one thing over several rounds. */
export async function measured(measure: () => Promise<number>, rounds = ROUNDS): Promise<Figure> {
  const series = new Series(measure);
  await inTurn([series], rounds);
  return series.figure((value) => value);
}
