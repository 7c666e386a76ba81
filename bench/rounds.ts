/**
 * What is compared is measured in turn, several rounds, so that whatever else this machine does meets all of it; a
 * figure is the median of its rounds, told with the least and the greatest.
 */

/** Rounds of what takes about a second; what takes longer has fewer. */
export const ROUNDS = 3;

/** What was found, round by round. */
export interface Figure {
  readonly rounds: readonly number[];
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @param rounds one at least */
export function figureOf(rounds: readonly number[]): Figure {
  const sorted = rounds.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { rounds, median: at(sorted.length >> 1), min: at(0), max: at(sorted.length - 1) };
}

/** One figure as a multiple of another, round by round: what slowed down both in a round does not count. */
export function ratioOf(figure: Figure, beside: Figure): Figure {
  return figureOf(figure.rounds.map((value, i) => value / (beside.rounds[i] ?? beside.median)));
}

/** Something that is measured again and again. */
export class Series<Sample> {
  readonly samples: Sample[] = [];
  readonly #measure: () => Promise<Sample>;

  constructor(measure: () => Promise<Sample>) {
    this.#measure = measure;
  }

  async round(): Promise<void> {
    this.samples.push(await this.#measure());
  }

  /** What all rounds say of one thing. */
  figure(of: (sample: Sample) => number): Figure {
    return figureOf(this.samples.map(of));
  }
}

/** Measures each in turn, several rounds. */
export async function inTurn(series: readonly Series<unknown>[], rounds = ROUNDS): Promise<void> {
  for (let i = 0; i < rounds; i++) for (const one of series) await one.round();
}

/** Measures one thing alone, several rounds. */
export async function measured(measure: () => Promise<number>, rounds = ROUNDS): Promise<Figure> {
  const series = new Series(measure);
  await inTurn([series], rounds);
  return series.figure((value) => value);
}
