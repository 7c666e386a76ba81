/** Nobody holds what somebody else holds (docs/specification.md#plans, docs/specification.md#shared-holds). */
import type { Check, Violation } from '../check.ts';
import type { FaultSeen, History } from '../history.ts';
import { type Hold, holdsOf } from './holds.ts';
import { asksOf, groupBy } from './outcomes.ts';
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
  rule: 'A reservation that is requested after another one was known has the higher fencing token; none comes twice.',
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

/** Returns true if the token of the first may have been lost, and given again, by then. */
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

/** A reservation keeps the token that the first answer named. */
function changed(history: History): readonly Violation[] {
  const { byToken } = holdsOf(history);
  return history.calls.flatMap(asksOf).flatMap(({ call, result }): readonly Violation[] => {
    const hold = byToken.get(result?.releaseToken ?? '');
    if (!hold || !result || result.fencingToken === hold.fencingToken) return [];
    const what = `${nameOf(hold)} is named again with the fencing token ${result.fencingToken}`;
    return [{ check: 'fencing', what, calls: callsOf([hold], [call]) }];
  });
}
