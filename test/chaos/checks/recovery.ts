/** After a fault everything is served again, by itself, within the time that the documentation gives. */
import type { Check, Violation } from '../check.ts';
import type { Call, FaultSeen, History } from '../history.ts';
import { groupBy } from './outcomes.ts';
import { limited, timeOf } from './words.ts';

/** A probe is sent so seldom to one address, and has so long to be answered, in ms. */
const PROBE_MS = 1500;
/** Of the probes after that, this share may fail, on a machine that is busy. */
const FAILING = 0.02;

export const recovery: Check = {
  name: 'recovery',
  rule: 'After each fault every address serves again within the documented time, and goes on.',
  run: (history) => {
    const probes = groupBy(
      history.calls.filter(({ caller }) => caller === 'prober'),
      ({ at }) => at,
    );
    const starts = history.faults.map(({ startedAt }) => startedAt);
    const violations = history.faults.flatMap((fault) => {
      const next = Math.min(history.endedAt, ...starts.filter((at) => at > fault.startedAt));
      return [...probes].flatMap(([at, calls]) => notServed(fault, at, calls, next, history));
    });
    return { looked: history.faults.length * probes.size, violations: limited(violations) };
  },
};

/** @param next when the next fault starts, in ms */
function notServed(
  fault: FaultSeen,
  at: string,
  probes: readonly Call[],
  next: number,
  { startedAt }: History,
): readonly Violation[] {
  const due = fault.healedAt + fault.servedWithinMs;
  const after = probes.filter(({ invokedAt, completedAt }) => invokedAt > fault.healedAt && completedAt < next);
  const served = after.find(({ status }) => status === 200)?.completedAt ?? Infinity;
  const said = `${fault.kind} was healed at ${timeOf(fault.healedAt, startedAt)}, ${at}`;
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
