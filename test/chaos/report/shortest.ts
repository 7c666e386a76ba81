/**
 * Finds a short history that shows the same violation: leaves out requesters as long as the check still says the same
 * (delta debugging).
 */
import type { Violation } from '../check.ts';
import { CHECKS } from '../checks/all.ts';
import { namesOf, requestersOf } from '../checks/seen.ts';
import type { Call, History } from '../history.ts';

/** How long it may look for a shorter one, in ms. */
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

/** Whether a text names a requester, and not one whose name only begins the same. */
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
