/** Nobody holds what somebody else holds (docs/specification.md#plans, docs/specification.md#shared-holds). */
import type { Check, Violation } from '../check.ts';
import type { FaultSeen, History } from '../history.ts';
import { contradictionsOf } from './contradictions.ts';
import { type Hold, type Holds, holdsOf } from './holds.ts';
import { slackOf } from './loss.ts';
import { asksOf, groupBy, waits } from './outcomes.ts';
import { type Claim, claimsOf } from './queue.ts';
import { callsOf, limited, nameOf, timeOf } from './seen.ts';

export const exclusion: Check = {
  name: 'exclusion',
  rule: 'A slot, an ancestor or a blocker has one owner at every instant, or only SHARED holds.',
  run: (history) => {
    const claims = holdsOf(history).holds.flatMap(claimsOf);
    const bySlot = groupBy(claims, ({ slot, hold }) => JSON.stringify([hold.tenant, slot]));
    const violations = [...bySlot.values()].flatMap((group) => clashesOf(group, history.startedAt));
    return { looked: claims.length, violations: limited(violations) };
  },
};

/** Returns the pairs of claims to one slot that exclude each other and overlap. */
function clashesOf(claims: readonly Claim[], startedAt: number): readonly Violation[] {
  const violations: Violation[] = [];
  let open: Claim[] = [];
  for (const claim of claims.toSorted((a, b) => a.from - b.from)) {
    open = open.filter(({ by }) => by > claim.from);
    const other = open.find((one) => one.owner !== claim.owner && !(one.isShared && claim.isShared));
    if (other) violations.push(clash(other, claim, startedAt));
    open.push(claim);
  }
  return violations;
}

function clash(first: Claim, second: Claim, startedAt: number): Violation {
  const by = Math.min(first.by, second.by);
  const during = `from ${timeOf(second.from, startedAt)} to ${timeOf(by, startedAt)}`;
  const holds: readonly Hold[] = [first.hold, second.hold];
  const what = `${holds.map(nameOf).join(' and ')} both have ${first.slot} ${during}`;
  return { check: 'exclusion', what, calls: callsOf(holds) };
}

/** Fencing tokens rise in real time, whatever is lost (docs/specification.md#fencing-tokens). */

export const fencing: Check = {
  name: 'fencing',
  rule: 'A reservation that is asked for after another one was known has the higher fencing token; none comes twice.',
  run: (history) => {
    const { holds } = holdsOf(history);
    const resets = clockResets(history.faults);
    const tenants = [...groupBy(holds, ({ tenant }) => tenant).values()];
    const violations = tenants.flatMap((own) => [...notRising(own, resets), ...twice(own, resets)]);
    return { looked: holds.length, violations: limited([...violations, ...changed(history)]) };
  },
};

/**
 * Tokens rise although the last one is lost, since time does. So they may fall where it is lost while the clock of
 * Redis is behind one that it has had (docs/specification.md#consistency).
 */
const clockResets = (faults: readonly FaultSeen[]): readonly FaultSeen[] => {
  const steps = faults.filter(({ clockStepMs }) => clockStepMs !== 0);
  return faults.filter(
    (lost) =>
      lost.loses !== 'nothing' &&
      steps.some(
        (step) => lost.startedAt <= step.healedAt + Math.abs(step.clockStepMs) && lost.healedAt >= step.startedAt,
      ),
  );
};

function notRising(holds: readonly Hold[], resets: readonly FaultSeen[]): readonly Violation[] {
  const violations: Violation[] = [];
  const byKnown = holds.toSorted((a, b) => a.knownAt - b.knownAt);
  let next = 0;
  let highest: Hold | null = null;
  for (const hold of holds.toSorted((a, b) => a.askedAt - b.askedAt)) {
    for (let one = byKnown[next]; one && one.knownAt < hold.askedAt; one = byKnown[++next])
      if (!highest || one.fencingToken > highest.fencingToken) highest = one;
    if (!highest || highest.fencingToken < hold.fencingToken) continue;
    const before = highest;
    if (isExcused(before, hold, resets)) continue;
    const what = `${nameOf(hold)} was asked for after ${nameOf(before)} was known, and its token is not higher`;
    violations.push({ check: 'fencing', what, calls: callsOf([before, hold]) });
  }
  return violations;
}

/** Whether the token of the first may have been lost, and given again, by then. */
const isExcused = (first: Hold, second: Hold, resets: readonly FaultSeen[]): boolean =>
  resets.some((lost) => first.askedAt <= lost.healedAt && second.knownAt >= lost.startedAt);

function twice(holds: readonly Hold[], resets: readonly FaultSeen[]): readonly Violation[] {
  const groups = groupBy(holds, ({ fencingToken }) => `${fencingToken}`);
  return [...groups.values()]
    .filter(([first, ...others]) => first && others.some((other) => !isExcused(first, other, resets)))
    .map((same) => ({
      check: 'fencing',
      what: `${same.map(nameOf).join(' and ')} have the same fencing token`,
      calls: callsOf(same),
    }));
}

/** A reservation that is told again has the token that it had. */
function changed(history: History): readonly Violation[] {
  const { byToken } = holdsOf(history);
  return history.calls.flatMap(asksOf).flatMap(({ call, result }): readonly Violation[] => {
    const hold = byToken.get(result?.releaseToken ?? '');
    if (!hold || !result || result.fencingToken === hold.fencingToken) return [];
    const what = `${nameOf(hold)} is told again with the fencing token ${result.fencingToken}`;
    return [{ check: 'fencing', what, calls: callsOf([hold], [call]) }];
  });
}

/** A lease ends when it is due, neither earlier nor later (docs/specification.md#expiry). */

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

/** Whether a hold ended because its lease was due: nothing else ended it, or may have, until `by`. */
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
