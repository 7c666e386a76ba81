/** Nothing that was acknowledged is lost, comes back, or is released by others (docs/specification.md#consistency). */
import { isDeepStrictEqual } from 'node:util';
import type { ActiveReservation } from '../../../src/contract/reservations.ts';
import type { Check, Violation } from '../check.ts';
import type { Call, EndState, History } from '../history.ts';
import { SERVED_PREFIX } from '../things.ts';
import { contradictionsOf, unsureRequesters } from './contradictions.ts';
import { type Holds, holdsOf, identityOf } from './holds.ts';
import { asksOf, groupBy, outcomeOf, releasesOf } from './outcomes.ts';
import { callsOf, limited, nameOf } from './words.ts';

export const loss: Check = {
  name: 'loss',
  rule: 'What was granted or released stays so, unless a fault may undo it; what was refused has no effect.',
  run: (history) => {
    const { looked, contradictions } = contradictionsOf(history);
    const own = contradictions.filter(({ about }) => about === 'loss');
    const violations = [
      ...own.map(({ violation }): Violation => ({ check: 'loss', ...violation })),
      ...history.end.flatMap((end) => atTheEnd(end, history)),
      ...phantoms(history),
      ...repeats(history),
      ...stolen(history),
    ];
    return { looked, violations: limited(violations) };
  },
};

/** Leases that end while the last list is read may be in it or not, in ms. */
const READING_MS = 5000;

function atTheEnd({ tenant, readAt, active }: EndState, history: History): readonly Violation[] {
  const listed = new Set(active.map(identityOf));
  return holdsOf(history).holds.flatMap((hold): readonly Violation[] => {
    if (hold.tenant !== tenant) return [];
    const isListed = listed.has(identityOf(hold));
    const isLost = hold.endsFrom > readAt && !isListed;
    const isBack = hold.endedBy < readAt - READING_MS && isListed;
    if (!isLost && !isBack) return [];
    const what = isLost
      ? `${nameOf(hold)} is held, and not there at the end`
      : `${nameOf(hold)} had ended, and is there at the end`;
    return [{ check: 'loss', what, calls: callsOf([hold]) }];
  });
}

/** Finds reservations that are listed, and that no call was told of or may have made. */
function phantoms(history: History): readonly Violation[] {
  const asks = history.calls.flatMap(asksOf);
  const holds = holdsOf(history);
  const unsure = unsureRequesters(asks, holds.undoing);
  const known = knownTokens(holds);
  const violations: Violation[] = [];
  const look = (tenant: string, list: readonly ActiveReservation[], calls: readonly Call[], when: string) => {
    for (const { resource, requester, fencingToken } of list) {
      if (known.has(`${tenant} ${fencingToken}`) || resource.startsWith(SERVED_PREFIX)) continue;
      if (unsure.has(JSON.stringify([tenant, requester]))) continue;
      const own = asks.filter(({ call, item }) => call.tenant === tenant && item.requester === requester);
      const what = `${requester} has ${resource} (${fencingToken}) ${when}, which no call was granted`;
      violations.push({ check: 'loss', what, calls: [...own.map(({ call }) => call), ...calls] });
    }
  };
  for (const { tenant, active } of history.end) look(tenant, active, [], 'at the end');
  for (const call of history.calls)
    if (call.verb === 'active' && call.response)
      look(call.tenant, call.response, [call], `in the list of call ${call.id}`);
  return violations;
}

const knownTokens = ({ holds }: Holds): ReadonlySet<string> =>
  new Set(holds.map(({ tenant, fencingToken }) => `${tenant} ${fencingToken}`));

/** Requests with one Idempotency-Key get one response (docs/specification.md#repeating-safely). */
function repeats(history: History): readonly Violation[] {
  const { undoing } = holdsOf(history);
  const keyed = history.calls.filter(
    (call) => call.idempotencyKey !== undefined && outcomeOf(call) === 'done' && !isWaiting(call),
  );
  const groups = groupBy(keyed, ({ tenant, verb, idempotencyKey }) => JSON.stringify([tenant, verb, idempotencyKey]));
  return [...groups.values()].flatMap((calls): readonly Violation[] => {
    const [first, ...others] = calls;
    if (!first || undoing.undoneFrom({ from: first.invokedAt, by: first.completedAt }) < Infinity) return [];
    const differs = others.some((other) => !isDeepStrictEqual(other.response, first.response));
    if (!differs) return [];
    const what = `repeats with the Idempotency-Key ${first.idempotencyKey} got different responses`;
    return [{ check: 'loss', what, calls }];
  });
}

/** Nobody gives something back with a token that no caller was given. */
function stolen(history: History): readonly Violation[] {
  const { byToken } = holdsOf(history);
  return history.calls.flatMap(releasesOf).flatMap(({ call, item, status }): readonly Violation[] => {
    if (status !== 'RELINQUISHED' || byToken.has(item.releaseToken ?? '')) return [];
    const what = `${item.resource} of ${item.requester} was released with a token that nobody was given`;
    return [{ check: 'loss', what, calls: [call] }];
  });
}

const isWaiting = (call: Call): boolean => asksOf(call).some(({ result }) => result?.status === 'WAITING');
