/** Nobody holds what somebody else holds (docs/specification.md#plans, docs/specification.md#shared-holds). */
import type { Check, Violation } from '../check.ts';
import { type Claim, claimsOf } from './claims.ts';
import { type Hold, holdsOf } from './holds.ts';
import { groupBy } from './outcomes.ts';
import { callsOf, limited, nameOf, timeOf } from './words.ts';

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
