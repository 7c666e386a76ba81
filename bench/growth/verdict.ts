/**
 * The growth of a cost with a size: the measured points, and whether they grow faster than logarithmically.
 */
import { type Figure, figureOf, ratioOf } from '../rounds.ts';
import { readable } from '../table.ts';

/** The measurement at one size. */
export interface Point {
  /** The size. */
  readonly n: number;
  readonly figure: Figure;
}

export interface Line {
  readonly name: string;
  /** Ordered by size. At least two. */
  readonly points: readonly Point[];
  /** True if the cost is necessarily linear, since the result is. It is then not judged. */
  readonly isLinear?: boolean;
}

/** Lines that share a unit: a panel of a chart. */
export interface Panel {
  readonly title: string;
  /** True if the figures are costs, whose growth is judged. Others are only shown. */
  readonly isCost: boolean;
  readonly lines: readonly Line[];
}

/** A size, and everything that depends on it. */
export interface Chart {
  /** The name of its file. */
  readonly name: string;
  readonly title: string;
  /** The things that are counted. */
  readonly of: string;
  readonly panels: readonly Panel[];
}

/** A figure without a size, for the estimate of a machine's capacity. */
export interface Fact {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

/** The result of a series. */
export interface Findings {
  readonly chart: Chart;
  readonly facts: readonly Fact[];
}

/** The growth of a line from its first point to its last. */
export interface Growth {
  /** The cost at the last point divided by the cost at the first, round by round. */
  readonly ratio: Figure;
  /** The ratio of logarithmic growth, which adds the first cost for each tenfold of the size. */
  readonly allowed: number;
  /** The exponent k of the n^k that fits the points best: 0 is flat, 1 is linear. */
  readonly exponent: number;
  /**
   * The ratio over the last step, which shows a small linear cost first, and the ratio of logarithmic growth there.
   */
  readonly lastStep: Figure;
  readonly lastAllowed: number;
  readonly verdict: 'PASS' | 'NOTE' | 'linear by nature';
}

/** Treats a size of 0 as 1. */
const tenfolds = (n: number) => Math.log10(Math.max(n, 1));

/** Judges the growth of a cost. Differences between rounds count in its favour. */
export function growthOf({ points, isLinear = false }: Line): Growth {
  const [first, beforeLast, last] = [points.at(0), points.at(-2), points.at(-1)];
  if (first === undefined || beforeLast === undefined || last === undefined)
    throw new Error('a line of fewer than two points');
  const allowedTo = ({ n }: Point) => 1 + tenfolds(n) - tenfolds(first.n);
  const [ratio, lastStep] = [ratioOf(last.figure, first.figure), ratioOf(last.figure, beforeLast.figure)];
  const [allowed, lastAllowed] = [allowedTo(last), allowedTo(last) / allowedTo(beforeLast)];
  return {
    ratio,
    allowed,
    exponent: exponentOf(points),
    lastStep,
    lastAllowed,
    verdict: isLinear ? 'linear by nature' : ratio.min <= allowed && lastStep.min <= lastAllowed ? 'PASS' : 'NOTE',
  };
}

/** Fits a straight line to the points on logarithmic axes by least squares, and returns its slope. */
function exponentOf(points: readonly Point[]): number {
  const at = points.map(({ n, figure }) => [tenfolds(n), Math.log10(figure.median)] as const);
  const mean = (axis: 0 | 1) => at.reduce((sum, one) => sum + one[axis], 0) / at.length;
  const [x0, y0] = [mean(0), mean(1)];
  const of = (term: (x: number, y: number) => number) => at.reduce((sum, [x, y]) => sum + term(x - x0, y - y0), 0);
  return of((x, y) => x * y) / of((x) => x * x);
}

/** Formats a size: 0, 10, 1k, 1M. */
export function sizeName(n: number): string {
  if (n >= 1e6) return `${n / 1e6}M`;
  return n >= 1000 ? `${n / 1000}k` : String(n);
}

/** Formats all figures of a chart and their growth as Markdown tables. */
export function tablesOf({ of, panels }: Chart): string {
  const sizes = [...new Set(panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(({ n }) => n))))];
  const figures = panels.flatMap(({ title, lines }) =>
    lines.map(({ name, points }) => [
      `${title}: ${name}`,
      ...sizes
        .map((n) => points.find((point) => point.n === n))
        .map((point) => (point ? readable(point.figure.median) : '')),
    ]),
  );
  const growths = panels
    .filter(({ isCost }) => isCost)
    .flatMap(({ title, lines }) => lines.map((line) => [`${title}: ${line.name}`, ...cellsOf(growthOf(line))]));
  return [
    table([of, ...sizes.map(sizeName)], figures),
    table(['growth', 'last/first', 'may be', 'last step', 'may be', 'exponent', 'verdict'], growths),
  ].join('\n\n');
}

function cellsOf({ ratio, allowed, exponent, lastStep, lastAllowed, verdict }: Growth): string[] {
  const spread = ({ median, min, max }: Figure) => `${median.toFixed(2)} (${min.toFixed(2)}..${max.toFixed(2)})`;
  return [spread(ratio), allowed.toFixed(1), spread(lastStep), lastAllowed.toFixed(2), exponent.toFixed(3), verdict];
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(headings), row(headings.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');
}

/** Returns the median relative distance of the lines' rounds from their medians. */
export function noiseOf(lines: readonly Line[]): number {
  const figures = lines.flatMap(({ points }) => points.map(({ figure }) => figure));
  return figureOf(figures.map(({ min, max, median }) => (max - min) / 2 / median)).median;
}
