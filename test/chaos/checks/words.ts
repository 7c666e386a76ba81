/** How checks put violations into words. */
import type { Violation } from '../check.ts';
import type { Call } from '../history.ts';
import type { Hold } from './holds.ts';

/** A time of a campaign, such as `12.034 s`. */
export const timeOf = (at: number, startedAt: number): string => `${((at - startedAt) / 1000).toFixed(3)} s`;

/** A hold, such as `c3-17 (leaf0, 1795214655103282)`. */
export const nameOf = ({ requester, resource, fencingToken }: Hold): string =>
  `${requester} (${resource}, ${fencingToken})`;

/** Returns the calls that made, renewed and ended some holds, and others, in the order of their invocation. */
export function callsOf(holds: readonly Hold[], others: readonly Call[] = []): readonly Call[] {
  const calls = holds.flatMap(({ call, renewals, releases, ends }) => [
    call,
    ...renewals.map((one) => one.call),
    ...releases.map((one) => one.call),
    ...ends.flatMap((end) => end.call ?? []),
  ]);
  return [...new Set([...calls, ...others])].sort((a, b) => a.id - b.id);
}

/** One bug may show in every later call: a report needs only the first. */
const MOST = 25;

export const limited = (violations: readonly Violation[]): readonly Violation[] => violations.slice(0, MOST);
