/** Nothing that was acknowledged is lost, comes back, or is released by others (docs/specification.md#consistency). */
import { isDeepStrictEqual } from 'node:util';
import type { ActiveReservation } from '../../../src/contract/reservations.ts';
import type { Check, Violation } from '../check.ts';
import type { Call, EndState, FaultSeen, History } from '../history.ts';
import { SERVED_PREFIX } from '../things.ts';
import { contradictionsOf, unsureRequesters } from './contradictions.ts';
import { type Holds, holdsOf, identityOf } from './holds.ts';
import { asksOf, groupBy, type Outcome, outcomeOf, releasesOf } from './outcomes.ts';
import { callsOf, limited, nameOf } from './seen.ts';

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

/**
 * When something ends that lasts as long as it is renewed, a lease or a session: by the clock of Redis, by what callers
 * did, by what faults undo.
 */

/** One thing that ends a hold or a session, or may: not before `from`; `by` is Infinity if it may not happen at all. */
export interface End extends Span {
  readonly how: 'released' | 'expired' | 'session' | 'reset' | 'lost';
  readonly call: Call | null;
}

/** A renewal, or the call that began it. */
export interface Beat {
  readonly call: Call;
  readonly outcome: Outcome;
  /** From this call on it lasts so long. */
  readonly ttlMs: number;
}

/** The clocks of the campaign and of Redis tick alike up to this, and Redis counts whole milliseconds. */
export const CLOCK_MS = 5;

/**
 * Returns when it ends by itself.
 * @param first when it ends if nothing renews it; null: never
 */
export function dueOf(
  first: { readonly setAt: number; readonly due: Span } | null,
  beats: readonly Beat[],
  undoing: Undoing,
): Span {
  const never: Span = { from: Infinity, by: Infinity };
  let due = first ? undoing.withSteps(first.setAt, first.due) : never;
  let unsure: Span = { from: Infinity, by: 0 };
  for (const { call, outcome, ttlMs } of beats) {
    // A replayed renewal renews nothing: the call it repeats is in the history too.
    if (outcome === 'refused' || call.isReplayed) continue;
    const { invokedAt: from, completedAt: by } = call;
    const next = undoing.withSteps(from, { from: from + ttlMs - CLOCK_MS, by: by + ttlMs + CLOCK_MS });
    const isUndone = undoing.undoneFrom({ from, by }) < Infinity;
    if (outcome === 'unknown') unsure = { from: Math.min(unsure.from, next.from), by: Infinity };
    else if (isUndone) due = { from: Math.min(due.from, next.from), by: Math.max(due.by, next.by) };
    else due = next;
  }
  return { from: Math.min(due.from, unsure.from), by: Math.max(due.by, unsure.by) };
}

/** Returns when what was known to last at `known` may be lost by a fault; nothing if no fault undoes it. */
export function lossOf(made: Span, undoing: Undoing): readonly End[] {
  const from = undoing.undoneFrom(made);
  return from === Infinity ? [] : [{ how: 'lost', from, by: Infinity, call: null }];
}

/** Returns the end that a call means: in the time of the call if it was carried out and no fault undoes it. */
export function endBy(how: End['how'], call: Call, outcome: Outcome, undoing: Undoing): End {
  const span = { from: call.invokedAt, by: call.completedAt };
  const isCertain = outcome === 'done' && undoing.undoneFrom(span) === Infinity;
  return { how, from: span.from, by: isCertain ? span.by : Infinity, call };
}

/** Returns when the first of some ends may come, and when one has come for certain. */
export const firstOf = (ends: readonly End[]): Span => ({
  from: Math.min(...ends.map(({ from }) => from)),
  by: Math.min(...ends.map(({ by }) => by)),
});

/**
 * Effects of faults: answered writes that they may undo, leases while they move the clock, times near them.
 */

/** From when until when something happened or may happen, in ms. */
export interface Span {
  readonly from: number;
  readonly by: number;
}

export interface Undoing {
  /** From when on an answered write may be undone. Infinity: nothing undoes it. */
  undoneFrom(write: Span): number;
  /**
   * When a lease may end by the clock of Redis, if it was set at `setAt` and no clock is moved then it ends in `due`.
   */
  withSteps(setAt: number, due: Span): Span;
  /** Returns true if something is broken, or recovers, within a time. */
  isNear(from: number, by: number): boolean;
}

/** The calls of the reviewed service take a moment to be answered after a fault was seen, and before. */
const MARGIN_MS = 250;

export function undoingOf({ faults }: Pick<History, 'faults'>): Undoing {
  const losing = faults.filter(({ loses }) => loses !== 'nothing');
  const stepping = faults.filter(({ clockStepMs }) => clockStepMs !== 0);
  return {
    undoneFrom: ({ from, by }) => {
      const hits = losing.filter(
        (fault) => from <= fault.healedAt + MARGIN_MS && by >= fault.startedAt - recentMs(fault),
      );
      return Math.min(...hits.map((fault) => Math.max(fault.startedAt, by)));
    },
    withSteps: (setAt, due) => {
      let { from, by } = due;
      for (const { startedAt, healedAt, clockStepMs } of stepping) {
        // A lease that was set while the clock was behind is due in the past of the campaign's clock.
        if (setAt > healedAt + MARGIN_MS || startedAt > Math.max(by, setAt)) continue;
        from = Math.min(from, Math.max(startedAt, from - Math.abs(clockStepMs)));
        by += Math.abs(clockStepMs);
      }
      return { from, by };
    },
    isNear: (from, by) =>
      faults.some(({ startedAt, healedAt, servedWithinMs }) => startedAt <= by && healedAt + servedWithinMs >= from),
  };
}

const recentMs = ({ loses }: FaultSeen) => (typeof loses === 'object' ? loses.recentMs : Infinity);

/** A call goes through several processes: each of them may have been as late as the campaign's own. */
const LAGS = 4;

/** Returns how much later than promised something may happen, in ms, since the machine was busy in a time. */
export const slackOf =
  ({ lags }: Pick<History, 'lags'>) =>
  (from: number, by: number): number =>
    LAGS * lags.reduce((sum, lag) => sum + Math.max(0, Math.min(lag.by, by) - Math.max(lag.from, from)), 0);
