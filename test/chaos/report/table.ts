/** The table that a campaign prints: operations, faults by kind with the time until all was served again, checks. */
import { groupBy } from '../checks/outcomes.ts';
import type { Round } from '../round.ts';
import { probesOf, servedAfter } from './servedAfter.ts';

type Cell = string | number;

/** Lays rows out in columns; the first row is the head. */
function columns(rows: readonly (readonly Cell[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => String(row[column] ?? '').length));
  const widths = (rows[0] ?? []).map((_, column) => width(column));
  const pad = (cell: Cell, to = 0) => (typeof cell === 'number' ? String(cell).padStart(to) : cell.padEnd(to));
  return rows
    .map((row) =>
      row
        .map((cell, i) => pad(cell, widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const sortedGroups = <T>(all: readonly T[], keyOf: (one: T) => string): (readonly [string, readonly T[]])[] =>
  [...groupBy(all, keyOf)].sort(([one], [other]) => one.localeCompare(other));

const sumOf = <T>(all: readonly T[], count: (one: T) => number): number =>
  all.reduce((total, one) => total + count(one), 0);

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

const setupRows = (rounds: readonly Round[]): Cell[][] =>
  sortedGroups(rounds, ({ history }) => history.setup).map(([setup, ofSetup]) => [
    setup,
    ofSetup.length,
    Math.round(sumOf(ofSetup, ({ history }) => history.endedAt - history.startedAt) / 1000),
    sumOf(ofSetup, ({ history }) => history.calls.length),
    sumOf(ofSetup, ({ history }) => history.calls.filter(({ status }) => status === null || status === 503).length),
    sumOf(ofSetup, ({ history }) => sumOf(history.streams, ({ events }) => events.length)),
    sumOf(ofSetup, ({ history }) => history.faults.length),
    sumOf(ofSetup, ({ violations }) => violations.length),
  ]);

function faultRows(rounds: readonly Round[]): Cell[][] {
  const faults = rounds.flatMap(({ history }) => {
    const probes = probesOf(history);
    const { setup } = history;
    return history.faults.map((fault) => ({ fault, setup, servedAfterMs: servedAfter(fault, probes, history) }));
  });
  return sortedGroups(faults, ({ fault }) => fault.kind).map(([kind, ofKind]) => {
    const served = ofKind.flatMap(({ servedAfterMs }) => servedAfterMs ?? []).sort((one, other) => one - other);
    return [
      kind,
      ofKind.length,
      seconds(served[served.length >> 1] ?? 0),
      seconds(served.at(-1) ?? 0),
      seconds(Math.max(...ofKind.map(({ fault }) => fault.servedWithinMs))),
      [...new Set(ofKind.map(({ setup }) => setup))].sort().join(' '),
    ];
  });
}

const checkRows = (rounds: readonly Round[]): Cell[][] =>
  sortedGroups(
    rounds.flatMap(({ checks }) => checks),
    ({ name }) => name,
  ).map(([name, ofName]) => [
    name,
    sumOf(ofName, ({ looked }) => looked),
    sumOf(ofName, ({ undecided }) => undecided),
    sumOf(rounds, ({ violations }) => violations.filter(({ check }) => check === name).length),
  ]);

/** Returns the table as text. */
export function table(rounds: readonly Round[]): string {
  const setups = ['setup', 'rounds', 'seconds', 'operations', 'unknown', 'events', 'faults', 'violations'];
  const faults = ['fault', 'times', 'served after: median s', 'longest s', 'promised s', 'setups'];
  const checks = ['check', 'looked at', 'undecided', 'violations'];
  return [
    columns([setups, ...setupRows(rounds)]),
    columns([faults, ...faultRows(rounds)]),
    columns([checks, ...checkRows(rounds)]),
  ].join('\n\n');
}
