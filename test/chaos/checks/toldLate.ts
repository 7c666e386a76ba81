/** Finds callers that were told late of a grant although their call was held (docs/specification.md#waiting). */
import type { Violation } from '../check.ts';
import type { History } from '../history.ts';
import { asksOf } from './outcomes.ts';
import { changesOf } from './seen.ts';
import { slackOf, undoingOf } from './undone.ts';
import { callsOf, timeOf } from './words.ts';

/** A call that is held is answered at once; the rest is for the way of a busy machine. */
const WITHIN_MS = 1000;

export function toldLate(history: History): readonly Violation[] {
  const slack = slackOf(history);
  /** Whether something is broken in a time that calls at an address notice. Scripts that are lost are sent again. */
  const isNear = (address: string, from: number, by: number) => {
    const faults = history.faults.filter(
      ({ kind, sparedAddresses = [] }) => kind !== 'script-flush' && !sparedAddresses.includes(address),
    );
    return undoingOf({ faults }).isNear(from, by);
  };
  const grantedAt = new Map<string, number>();
  for (const { tenant, events } of history.streams)
    for (const { event, receivedAt } of events)
      for (const { kind, token } of changesOf(event)) {
        const key = `${tenant} ${token}`;
        if (kind === 'made') grantedAt.set(key, Math.min(receivedAt, grantedAt.get(key) ?? Infinity));
      }
  return history.calls.flatMap((call): readonly Violation[] => {
    if (call.isReplayed || call.pollSeconds === undefined) return [];
    const { invokedAt, completedAt, tenant } = call;
    const late = asksOf(call).find(({ waits, result }) => {
      const at = grantedAt.get(`${tenant} ${result?.fencingToken}`);
      if (!waits || result?.status !== 'ACQUIRED' || at === undefined || at < invokedAt) return false;
      return completedAt > at + WITHIN_MS + slack(at, completedAt) && !isNear(call.at, at - WITHIN_MS, completedAt);
    });
    if (!late) return [];
    const { resource, requester, fencingToken } = late.result ?? {};
    const at = grantedAt.get(`${tenant} ${fencingToken}`) ?? 0;
    const what = `${requester} was granted ${resource} by ${timeOf(at, history.startedAt)}, and its call was held until ${timeOf(completedAt, history.startedAt)}`;
    return [{ check: 'queue', what, calls: callsOf([], [call]) }];
  });
}
