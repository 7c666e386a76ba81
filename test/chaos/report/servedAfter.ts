/** How long it took until everything was served again, as callers saw it. */
import { groupBy } from '../checks/outcomes.ts';
import type { Call, FaultSeen, History } from '../history.ts';

/** @returns the probes of each address, in the order of their invocation */
export const probesOf = ({ calls }: Pick<History, 'calls'>): ReadonlyMap<string, readonly Call[]> =>
  groupBy(
    calls.filter(({ caller }) => caller.startsWith('prober')),
    ({ at }) => at,
  );

/**
 * @param probes of probesOf()
 * @returns the ms from when the service had to recover until each address had answered a probe; null: the next fault
 * or the end came first
 */
export function servedAfter(
  { healedAt, servedFromAt = healedAt, startedAt }: FaultSeen,
  probes: ReadonlyMap<string, readonly Call[]>,
  { faults, endedAt }: History,
): number | null {
  const next = Math.min(endedAt, ...faults.map((other) => other.startedAt).filter((at) => at > startedAt));
  const first = [...probes.values()].map(
    (calls) => calls.find(({ status, invokedAt }) => status === 200 && invokedAt >= servedFromAt)?.completedAt,
  );
  const last = Math.max(...first.map((at) => at ?? Number.POSITIVE_INFINITY));
  return last < next ? last - servedFromAt : null;
}
