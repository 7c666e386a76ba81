/**
 * The results of a benchmark, as a table and as JSON: each figure with its ceiling or peer, their ratio and the target,
 * and a description of the machine.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { type Figure, ratioOf } from './rounds.ts';
import { nodeVersion } from './servers.ts';

/** A target for the figure, or for its ratio to the ceiling or peer. */
export type Target = { readonly of: 'figure' | 'ratio' } & (
  | { readonly atLeast: number }
  | { readonly atMost: number }
  | { readonly above: number }
);

/** A measured figure. */
export interface Measurement {
  readonly what: string;
  readonly figure: Figure;
  readonly unit: string;
  /** The ceiling or peer that it is compared with. */
  readonly beside?: { readonly what: string; readonly figure: Figure } | undefined;
  readonly target?: Target | undefined;
  /** CPU time by process, in cores. */
  readonly cpu?: Readonly<Record<string, number>> | undefined;
}

/** The number of rounds from which a ratio's range is that of its quartiles. */
const QUARTILES_FROM = 9;

interface Row extends Measurement {
  readonly family: string;
  readonly ratio: Figure | undefined;
  readonly verdict: string | undefined;
}

export class Table {
  readonly #rows: Row[] = [];
  readonly #say: (line: string) => void;
  #family = '';

  /** @param say called with each row when it is added */
  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Starts a family. The following rows belong to it. */
  begin(family: string): void {
    this.#family = family;
  }

  add(measurement: Measurement): void {
    const { figure, beside, target } = measurement;
    const ratio = beside && ratioOf(figure, beside.figure);
    const row: Row = {
      family: this.#family,
      ...measurement,
      ratio,
      verdict: target && verdictOf((target.of === 'ratio' && ratio ? ratio : figure).median, target),
    };
    this.#rows.push(row);
    this.#say(cellsOf(row).filter(Boolean).join('  '));
  }

  /** Formats all rows in columns. */
  print(): string {
    const lines = [HEADINGS, ...this.#rows.map(cellsOf)];
    const widths = HEADINGS.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? '').length)));
    return lines
      .map((cells) =>
        cells
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      )
      .join('\n');
  }

  /** The rows that miss their targets. */
  get missed(): readonly string[] {
    return this.#rows
      .filter(({ verdict }) => verdict?.startsWith('missed'))
      .map(({ what, beside }) => (beside === undefined ? what : `${what} (${beside.what})`));
  }

  /** @param facts describe the machine and the versions */
  write(file: string, facts: Readonly<Record<string, string | number>>): void {
    writeFileSync(file, `${JSON.stringify({ facts, rows: this.#rows }, null, 1)}\n`);
  }
}

const HEADINGS = ['', 'median', 'min..max', 'beside', 'its median', 'ratio', 'range', 'target', '', 'CPU, % of a core'];

function cellsOf({ what, figure, unit, beside, ratio, target, verdict, cpu }: Row): string[] {
  return [
    what,
    `${readable(figure.median)} ${unit}`,
    spreadOf(figure),
    beside?.what ?? '',
    beside === undefined ? '' : readable(beside.figure.median),
    ratio === undefined ? '' : ratio.median.toFixed(2),
    ratio === undefined || ratio.rounds.length === 1 ? '' : rangeOf(ratio),
    target === undefined ? '' : describe(target),
    verdict ?? '',
    cpu === undefined ? '' : shares(cpu),
  ];
}

/** Returns the greatest distance of rounds from the median, in percent. */
function spreadOf({ rounds, median, min, max }: Figure): string {
  if (rounds.length === 1) return 'one round';
  const percent = (value: number) => (value === median ? 0 : Math.round(((value - median) / Math.abs(median)) * 100));
  return `${percent(min)}..+${percent(max)}%`;
}

/** Returns the quartiles; of few rounds, the least and the greatest. */
function rangeOf({ rounds, q1, q3, min, max }: Figure): string {
  const [from, to] = rounds.length < QUARTILES_FROM ? [min, max] : [q1, q3];
  return `${from.toFixed(2)}..${to.toFixed(2)}`;
}

function describe(target: Target): string {
  if ('atLeast' in target) return `>= ${target.atLeast}`;
  return 'above' in target ? `> ${target.above}` : `<= ${target.atMost}`;
}

function verdictOf(value: number, target: Target): string {
  const wanted = 'atLeast' in target ? target.atLeast : 'above' in target ? target.above : target.atMost;
  const isMet = 'atMost' in target ? value <= wanted : 'above' in target ? value > wanted : value >= wanted;
  return isMet ? 'met' : `missed by ${Math.abs((value / wanted - 1) * 100).toFixed(1)}%`;
}

function shares(cpu: Readonly<Record<string, number>>): string {
  return Object.entries(cpu)
    .map(([name, share]) => `${name} ${Math.round(share * 100)}`)
    .join(', ');
}

/** Formats a number with its significant digits. */
export function readable(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** Describes this machine. */
export function machine(): Readonly<Record<string, string | number>> {
  const [first] = cpus();
  return {
    date: new Date().toISOString(),
    cpu: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: nodeVersion(),
    nodeOfTheLoad: process.version,
    loadAverage: loadavg().map(readable).join(' '),
  };
}
