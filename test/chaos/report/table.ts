/** The table that a campaign prints: operations, faults by kind with the time until all was served again, checks. */

import type { Violation } from '../check.ts';
import { CHECKS } from '../checks/all.ts';
import { groupBy } from '../checks/outcomes.ts';
import { namesOf, requestersOf } from '../checks/seen.ts';
import type { Call, History } from '../history.ts';
import type { Round } from '../round.ts';
import { probesOf, servedAfter } from './show.ts';

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

/**
 * Finds a short history that shows the same violation: leaves out requesters as long as the check still says the same
 * (delta debugging).
 */

/** Longest time for which it may look for a shorter one, in ms. */
const BUDGET_MS = 8_000;

/**
 * Returns the history with as few calls as it finds in some seconds. All that a requester called stays together, and
 * all that the violation names stays in: else a history could be made wrong by what is left out.
 */
export function shortest(history: History, violation: Violation): History {
  const check = CHECKS.find(({ name }) => name === violation.check);
  if (!check) return history;
  const endAt = performance.now() + BUDGET_MS;
  const shows = (calls: readonly Call[]) =>
    performance.now() < endAt &&
    check.run({ ...history, calls }).violations.some(({ what }) => what === violation.what);

  const named = new Set(violation.calls.flatMap(requestersOf));
  const names = new Set(violation.calls.flatMap(namesOf));
  const ids = new Set(violation.calls.map(({ id }) => id));
  const isOf = (call: Call) => ids.has(call.id) || requestersOf(call).some((requester) => named.has(requester));
  const guesses = [
    history.calls.filter(isOf),
    history.calls.filter((call) => isOf(call) || namesOf(call).some((name) => names.has(name))),
    history.calls.filter(({ tenant }) => violation.calls.some((one) => one.tenant === tenant)),
  ];
  const begin = guesses.find(shows) ?? history.calls;

  const kept = new Set([...named].filter((requester) => isWithin(violation.what, requester)));
  const isKept = (call: Call) => requestersOf(call).some((requester) => kept.has(requester));
  const groups = [...groupsOf(begin.filter((call) => !isKept(call))).values()];
  const always = begin.filter(isKept);
  const inOrder = (left: readonly Call[][]) => [...always, ...left.flat()].sort((a, b) => a.id - b.id);
  const left = leaveOut(groups, (some) => shows(inOrder(some)));
  return { ...history, calls: inOrder(left) };
}

/** Returns true if a text names a requester, and not one whose name only begins the same. */
const isWithin = (text: string, requester: string) => text.split(/[\s,()]+/).includes(requester);

/** Calls that belong together: those of one requester, or a call by itself. */
function groupsOf(calls: readonly Call[]): ReadonlyMap<string, Call[]> {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const key = requestersOf(call)[0] ?? `call ${call.id}`;
    const group = groups.get(key);
    if (group) group.push(call);
    else groups.set(key, [call]);
  }
  return groups;
}

/** Leaves out halves, then quarters, and so on down to single groups, as long as the rest is enough. */
function leaveOut(groups: readonly Call[][], isEnough: (groups: readonly Call[][]) => boolean): readonly Call[][] {
  let left = groups;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < left.length; ) {
      const without = [...left.slice(0, from), ...left.slice(from + size)];
      if (isEnough(without)) left = without;
      else from += size;
    }
  return left;
}
