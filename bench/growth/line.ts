/**
 * How a cost grows with a size: points as they were measured, and whether they grow no faster than logarithmically.
 */
import { type Figure, figureOf, ratioOf } from '../rounds.ts';
import { readable } from '../table.ts';

/** What was measured at one size. */
export interface Point {
  /** The size: how many there are. */
  readonly n: number;
  readonly figure: Figure;
}

export interface Line {
  readonly name: string;
  /** By size, the least first; two at least. */
  readonly points: readonly Point[];
  /** Whether it must be linear, since what comes out is: it is then not judged. */
  readonly isLinear?: boolean;
}

/** Lines that share a unit, side by side with other such panels in a chart. */
export interface Panel {
  readonly title: string;
  /** A cost is judged by how it grows; what is not only shown. */
  readonly isCost: boolean;
  readonly lines: readonly Line[];
}

/** One size, and all that depends on it. */
export interface Chart {
  /** Of its file. */
  readonly name: string;
  readonly title: string;
  /** What the size is of. */
  readonly of: string;
  readonly panels: readonly Panel[];
}

/** A figure that has no size to be shown against, for the reckoning of what a machine carries. */
export interface Fact {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

/** What a series found. */
export interface Findings {
  readonly chart: Chart;
  readonly facts: readonly Fact[];
}

/** How a line grows from its first point to its last. */
export interface Growth {
  /** Cost at the last point as a multiple of that at the first, round by round. */
  readonly ratio: Figure;
  /** What logarithmic growth comes to: with each tenfold of the size, the first cost once more. */
  readonly allowed: number;
  /** k of the n^k that lies nearest to the points: 0 is flat, 1 linear. */
  readonly exponent: number;
  /**
   * The ratio over the last step alone, where a cost that is small but linear shows first; and what logarithmic growth
   * comes to there.
   */
  readonly lastStep: Figure;
  readonly lastAllowed: number;
  readonly verdict: 'PASS' | 'NOTE' | 'linear by nature';
}

/** A size that is 0 counts as 1. */
const tenfolds = (n: number) => Math.log10(Math.max(n, 1));

/** Judges how a cost grows; what the rounds do not agree upon counts in its favour. */
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

/** The slope of the straight line that lies nearest, in least squares, to the points on logarithmic axes. */
function exponentOf(points: readonly Point[]): number {
  const at = points.map(({ n, figure }) => [tenfolds(n), Math.log10(figure.median)] as const);
  const mean = (axis: 0 | 1) => at.reduce((sum, one) => sum + one[axis], 0) / at.length;
  const [x0, y0] = [mean(0), mean(1)];
  const of = (term: (x: number, y: number) => number) => at.reduce((sum, [x, y]) => sum + term(x - x0, y - y0), 0);
  return of((x, y) => x * y) / of((x) => x * x);
}

/** A size as people read it: 0, 10, 1k, 1M. */
export function sizeName(n: number): string {
  if (n >= 1e6) return `${n / 1e6}M`;
  return n >= 1000 ? `${n / 1000}k` : String(n);
}

/** All figures of a chart, and how they grow, as tables in Markdown. */
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

/** How far rounds of all these lines lie from their median, as a share: half of them closer than this. */
export function noiseOf(lines: readonly Line[]): number {
  const figures = lines.flatMap(({ points }) => points.map(({ figure }) => figure));
  return figureOf(figures.map(({ min, max, median }) => (max - min) / 2 / median)).median;
}
