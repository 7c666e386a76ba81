/** After a fault everything is served again, by itself, within the time that the documentation gives. */
import type { Check, Violation } from '../check.ts';
import type { Call, FaultSeen, History } from '../history.ts';
import { probesOf } from '../report/show.ts';
import { slackOf } from './loss.ts';
import { limited, timeOf } from './seen.ts';

/** A probe is sent so seldom to one address, and has so long to be answered, in ms. */
const PROBE_MS = 1500;
/** Of the probes after that, this share may fail, on a machine that is busy. */
const FAILING = 0.02;

export const recovery: Check = {
  name: 'recovery',
  rule: 'After each fault every address serves again within the documented time, and goes on.',
  run: (history) => {
    const probes = probesOf(history);
    const endedAt = Math.max(...[...probes.values()].flat().map(({ completedAt }) => completedAt));
    const starts = history.faults.map(({ startedAt }) => startedAt);
    const violations = history.faults.flatMap((fault) => {
      const next = Math.min(endedAt, ...starts.filter((at) => at > fault.startedAt));
      return [...probes].flatMap(([at, calls]) => notServed(fault, at, calls, next, history));
    });
    const unspared = history.faults.flatMap((fault) => notSpared(fault, history));
    return { looked: history.faults.length * probes.size, violations: limited([...violations, ...unspared]) };
  },
};

/** @param next when the next fault starts, in ms */
function notServed(
  fault: FaultSeen,
  at: string,
  probes: readonly Call[],
  next: number,
  history: History,
): readonly Violation[] {
  const { startedAt } = history;
  const from = fault.servedFromAt ?? fault.healedAt;
  const promised = from + fault.servedWithinMs;
  const due = promised + slackOf(history)(from, promised + PROBE_MS);
  const after = probes.filter(({ invokedAt, completedAt }) => invokedAt > from && completedAt < next);
  const served = after.find(({ status }) => status === 200)?.completedAt ?? Infinity;
  const said = `${fault.kind} was over at ${timeOf(from, startedAt)}: ${at}`;
  if (served > due + PROBE_MS && next > due + PROBE_MS) {
    const when = served < Infinity ? `only at ${timeOf(served, startedAt)}` : `not until ${timeOf(next, startedAt)}`;
    const what = `${said} serves again ${when}, ${fault.servedWithinMs} ms are allowed`;
    return [{ check: 'recovery', what, calls: after.slice(0, 3) }];
  }
  const late = after.filter(({ invokedAt }) => invokedAt > due);
  const failed = late.filter(({ status }) => status !== 200);
  if (failed.length <= Math.max(1, late.length * FAILING)) return [];
  const what = `${said} fails ${failed.length} of ${late.length} probes after ${timeOf(due, startedAt)}`;
  return [{ check: 'recovery', what, calls: failed.slice(0, 3) }];
}

/** Calls that fail while a fault lasts that no call may notice. What the fault before it broke may fail still. */
function notSpared(fault: FaultSeen, { calls, faults, startedAt }: History): readonly Violation[] {
  const { sparedAddresses = [], sparedVerbs, kind } = fault;
  const isCalm = !faults.some(
    (other) =>
      other !== fault &&
      other.startedAt < fault.healedAt &&
      other.healedAt + other.servedWithinMs + PROBE_MS > fault.startedAt,
  );
  const failed = calls.filter(
    ({ at, verb, status, invokedAt, completedAt }) =>
      (sparedVerbs?.includes(verb) ?? true) &&
      invokedAt > fault.startedAt &&
      completedAt < fault.healedAt &&
      (status ?? 0) >= 500 &&
      sparedAddresses.includes(at),
  );
  if (!isCalm || failed.length === 0) return [];
  const what = `${failed.length} calls failed from ${timeOf(fault.startedAt, startedAt)} on, and ${kind} may fail none`;
  return [{ check: 'recovery', what, calls: failed.slice(0, 3) }];
}

/** No call meets a fault of the service itself (docs/specification.md#errors). */

export const errors: Check = {
  name: 'errors',
  rule: 'No call is answered 500: whatever is broken is a 503.',
  run: ({ calls, startedAt }) => ({
    looked: calls.length,
    violations: limited(
      calls
        .filter(({ status }) => status === 500)
        .map((call) => ({
          check: errors.name,
          what: `call ${call.id} (${call.verb} at ${call.at}) was answered 500 at ${timeOf(call.completedAt, startedAt)}`,
          calls: [call],
        })),
    ),
  }),
};

/** Checks that what Redis holds in the end fits together: counts are right, and indexes lead to records. */

export const inconsistencies: Check = {
  name: 'inconsistencies',
  rule: 'What Redis holds in the end fits together: counts, indexes and records.',
  run: ({ end }) => ({
    looked: end.length,
    violations: end.flatMap(({ tenant, inconsistencies: lines }) =>
      lines.map((line) => ({ check: inconsistencies.name, what: `${tenant}: ${line}`, calls: [] })),
    ),
  }),
};
