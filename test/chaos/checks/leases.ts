/** A lease ends when it is due, neither earlier nor later (docs/specification.md#expiry). */
import type { Check, Violation } from '../check.ts';
import type { History } from '../history.ts';
import { contradictionsOf } from './contradictions.ts';
import { type Hold, type Holds, holdsOf } from './holds.ts';
import { slackOf } from './loss.ts';
import { asksOf, groupBy, waits } from './outcomes.ts';
import { callsOf, limited, nameOf, timeOf } from './seen.ts';

/**
 * An end is told of by the next sweep, 1 s later; on a machine that is busy with a whole campaign also later, in ms.
 */
const TOLD_WITHIN_MS = 4000;
/** A caller that waits gets what is due within 2 s, whichever instance knew of it; the rest is for a busy machine. */
const GRANTED_WITHIN_MS = 4000;
/** After Redis was unavailable, sweeps run again within 5 s. */
const RECOVERING_MS = 5000;

export const leases: Check = {
  name: 'leases',
  rule: 'Until a lease is due it is held; once it is due it refuses nobody, and its end is told of in time.',
  run: (history) => {
    const { looked, contradictions } = contradictionsOf(history);
    const own = contradictions.filter(({ about }) => about === 'leases');
    const holds = holdsOf(history);
    const violations = [
      ...own.map(({ violation }): Violation => ({ check: 'leases', ...violation })),
      ...expiries(holds, history),
      ...lateGrants(holds, history),
    ];
    return { looked, violations: limited(violations) };
  },
};

/** Returns true if a hold ended because its lease was due: nothing else ended it, or may have, until `by`. */
const isLeftToExpire = ({ ends, lease }: Hold, by: number): boolean =>
  lease.by < Infinity && ends.every(({ how, from }) => how === 'expired' || from > by);

/** Each stream tells of the end of a lease: not before it is due, and soon after. */
function expiries({ holds }: Holds, history: History): readonly Violation[] {
  const { streams, startedAt, faults } = history;
  const [calm, slack] = [calmOf(faults), slackOf(history)];
  const ending = holds.filter((hold) => isLeftToExpire(hold, hold.lease.by + TOLD_WITHIN_MS));
  const byTenant = groupBy(ending, ({ tenant }) => tenant);
  return streams.flatMap((stream) => {
    // When the campaign closed a stream is not recorded: it was open when its last event came.
    const openUntil = Math.min(stream.endedAt, stream.events.at(-1)?.receivedAt ?? stream.openedAt);
    const told = groupBy(
      stream.events.filter(({ event }) => event.type === 'RESERVATION_EXPIRED'),
      ({ event }) => JSON.stringify([event.resource, event.requester]),
    );
    return (byTenant.get(stream.tenant) ?? []).flatMap((hold): readonly Violation[] => {
      const { from, by } = hold.lease;
      const due = by + TOLD_WITHIN_MS + slack(from, by + TOLD_WITHIN_MS);
      if (stream.openedAt > hold.knownAt || openUntil <= due) return [];
      const own = told.get(JSON.stringify([hold.resource, hold.requester])) ?? [];
      const times = own.map(({ receivedAt }) => receivedAt).filter((at) => at > hold.knownAt);
      const early = times.find((at) => at < from);
      const at = timeOf(from, startedAt);
      const where = `the stream at ${stream.at}`;
      const calls = callsOf([hold]);
      if (early !== undefined) {
        const what = `the lease of ${nameOf(hold)} is due at ${at}, and ${where} ends it at ${timeOf(early, startedAt)}`;
        return [{ check: 'leases', what, calls }];
      }
      if (times.some((time) => time <= due) || !calm(from, due)) return [];
      const what = `the lease of ${nameOf(hold)} is due at ${at}, and ${where} does not tell of it in ${Math.round(due - by)} ms`;
      return [{ check: 'leases', what, calls }];
    });
  });
}

/** Returns whether nothing was broken, and sweeps ran again, in a time. */
const calmOf =
  (faults: History['faults']) =>
  (from: number, by: number): boolean =>
    !faults.some(
      ({ startedAt, healedAt, servedWithinMs }) => startedAt <= by && healedAt + servedWithinMs + RECOVERING_MS >= from,
    );

/**
 * In the tenant of those who watch leases nobody else wants a name: who waits for it while its lease ends gets it then.
 */
function lateGrants({ holds }: Holds, history: History): readonly Violation[] {
  const { calls, startedAt, faults } = history;
  const [calm, slack] = [calmOf(faults), slackOf(history)];
  const watched = holds.filter((hold) => hold.tenant.startsWith('leases') && hold.lease.by < Infinity);
  const bySlot = groupBy(watched, ({ resource }) => resource);
  const waiting = calls.filter((call) => call.tenant.startsWith('leases') && waits(call) && call.status === 200);
  return waiting.flatMap(asksOf).flatMap(({ call, item, result }): readonly Violation[] => {
    const before = (bySlot.get(item.resource) ?? []).filter(
      (hold) => hold.requester !== item.requester && hold.knownAt < call.invokedAt && hold.lease.by > call.invokedAt,
    );
    const [held] = before;
    if (!held || before.length > 1 || !isLeftToExpire(held, call.completedAt)) return [];
    const promised = held.lease.by + GRANTED_WITHIN_MS;
    const due = promised + slack(held.lease.from, promised);
    const isLate = call.completedAt > due && (result?.status === 'ACQUIRED' || result?.status === 'WAITING');
    if (!isLate || !calm(held.lease.from, due)) return [];
    const what = `${item.requester} waits for ${item.resource} until ${timeOf(call.completedAt, startedAt)}, and the lease of ${nameOf(held)} was due at ${timeOf(held.lease.by, startedAt)}`;
    return [{ check: 'leases', what, calls: callsOf([held], [call]) }];
  });
}
