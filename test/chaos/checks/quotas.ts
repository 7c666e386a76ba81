/** Limits are exact, also across instances and faults (docs/specification.md#limits). */

import { z } from 'zod';
import { RETRY_EVERY_MS } from '../../../src/redis/send.ts';
import type { Check, Violation } from '../check.ts';
import type { Call, History } from '../history.ts';
import { QUOTA } from '../things.ts';
import { type Hold, holdsOf } from './holds.ts';
import { asksOf, outcomeOf, waits } from './outcomes.ts';
import { callsOf, limited, timeOf } from './seen.ts';

const MINUTE_MS = 60_000;

export const quotas: Check = {
  name: 'quotas',
  rule: 'No limit is exceeded, and nothing is refused before it is reached.',
  run: (history) => {
    const calls = history.calls.filter(({ tenant }) => tenant.startsWith('quota'));
    const violations = [
      ...exceeded(calls, 'OperationsPerMinute', QUOTA.writesPerMinute, history),
      ...exceeded(calls, 'ReadsPerMinute', QUOTA.readsPerMinute, history),
      ...refusedEarly(calls, 'OperationsPerMinute', QUOTA.writesPerMinute, history),
      ...refusedEarly(calls, 'ReadsPerMinute', QUOTA.readsPerMinute, history),
      ...overCap(history),
      ...capRefusedEarly(calls, history),
    ];
    return { looked: calls.length, violations: limited(violations) };
  },
};

/**
 * When a fault first may undo what was counted, or move the minutes, in ms. Reads never wait for replicas: any failover
 * may undo that they were counted.
 */
const spoiledAt = ({ faults, endedAt }: History, charged: Charged): number =>
  Math.min(
    endedAt,
    ...faults
      .filter(
        ({ kind, loses, clockStepMs }) =>
          loses !== 'nothing' || clockStepMs !== 0 || (charged === 'ReadsPerMinute' && kind.includes('failover')),
      )
      .map(({ startedAt, loses }) => startedAt - (typeof loses === 'object' ? loses.recentMs : 0)),
  );

/**
 * Adds up what was certainly charged within one minute. A minute begins with the first request in it, somewhere in
 * [from, by]: calls that may belong to two minutes count for none.
 */
function exceeded(all: readonly Call[], charged: Charged, limit: number, history: History): readonly Violation[] {
  const end = spoiledAt(history, charged);
  const calls = all.filter((call) => costOf(call, charged).possible > 0 && call.completedAt < end);
  const violations: Violation[] = [];
  let endsFrom = Number.NEGATIVE_INFINITY;
  let endsBy = Number.NEGATIVE_INFINITY;
  for (;;) {
    const [before, after] = [endsFrom, endsBy];
    const possible = calls.filter(({ completedAt }) => completedAt >= before);
    const sure = calls.filter((call) => call.invokedAt > after && costOf(call, charged).sure > 0);
    if (sure.length === 0) return violations;
    endsFrom = Math.max(before, Math.min(...possible.map(({ invokedAt }) => invokedAt))) + MINUTE_MS;
    endsBy = Math.min(...sure.map(({ completedAt }) => completedAt)) + MINUTE_MS;
    const within = sure.filter(({ completedAt }) => completedAt < endsFrom);
    const total = within.reduce((sum, call) => sum + costOf(call, charged).sure, 0);
    if (total <= limit) continue;
    const what = `${total} of ${limit} ${charged} were charged in the minute before ${timeOf(endsFrom, history.startedAt)}`;
    violations.push({ check: 'quotas', what, calls: within });
  }
}

/** Reads of the tenant by the campaign itself meanwhile. */
const OWN_READS = 5;

/** A request is refused only if what was charged in the minute before it may have come so close to the limit. */
function refusedEarly(calls: readonly Call[], charged: Charged, limit: number, history: History): readonly Violation[] {
  const steps = history.faults.filter(({ clockStepMs }) => clockStepMs !== 0);
  return calls.flatMap((call): readonly Violation[] => {
    if (refusalOf(call)?.limitType !== charged) return [];
    const since = call.invokedAt - MINUTE_MS;
    if (steps.some(({ startedAt, healedAt }) => startedAt < call.completedAt && healedAt > since - MINUTE_MS))
      return [];
    const near = calls.filter((other) => other.completedAt > since && other.invokedAt < call.completedAt);
    const used = near.reduce((sum, other) => sum + costOf(other, charged).possible, 0);
    const own = costOf({ ...call, status: null }, charged).possible;
    if (used + own + (charged === 'ReadsPerMinute' ? OWN_READS : 0) > limit) return [];
    const what = `a call for ${own} ${charged} is refused at ${timeOf(call.completedAt, history.startedAt)}, when ${used} of ${limit} were used`;
    return [{ check: 'quotas', what, calls: [call] }];
  });
}

const isCounted = ({ tenant }: { readonly tenant: string }): boolean => tenant.startsWith('quota');

/** Reservations that are held for certain never exceed the cap. */
function overCap(history: History): readonly Violation[] {
  const violations: Violation[] = [];
  let open: Hold[] = [];
  for (const hold of holdsOf(history).holds.filter(isCounted)) {
    open = open.filter(({ endsFrom }) => endsFrom > hold.knownAt);
    if (hold.endsFrom > hold.knownAt) open.push(hold);
    const held = open.reduce((sum, { slots }) => sum + slots.length, 0);
    if (held <= QUOTA.reservations) continue;
    const what = `${held} of ${QUOTA.reservations} reservations are held at ${timeOf(hold.knownAt, history.startedAt)}`;
    violations.push({ check: 'quotas', what, calls: callsOf(open) });
  }
  return violations;
}

/** A reserve is refused at the cap only if what may be held, waited for or asked for then comes up to it. */
function capRefusedEarly(calls: readonly Call[], history: History): readonly Violation[] {
  const { holds, sessions } = holdsOf(history);
  const own = holds.filter(isCounted);
  const lost = history.calls.filter(
    (call) => call.verb === 'beginSession' && isCounted(call) && call.response === null,
  );
  const begun = [...sessions.values()].filter(isCounted);
  const asks = calls.flatMap(asksOf);
  return calls.flatMap((call): readonly Violation[] => {
    if (refusalOf(call)?.limitType !== 'ConcurrentReservations') return [];
    const { invokedAt, completedAt } = call;
    const held = own.filter((hold) => hold.askedAt <= completedAt && hold.endedBy >= invokedAt);
    const unsure = asks.filter(
      (one) =>
        one.call !== call &&
        one.call.invokedAt <= completedAt &&
        (one.outcome === 'unknown' || waits(one.call) || one.call.completedAt >= invokedAt),
    );
    const inSessions = begun.filter(({ begun, endedBy }) => begun.invokedAt <= completedAt && endedBy >= invokedAt);
    const most =
      held.reduce((sum, { slots }) => sum + slots.length, 0) +
      unsure.reduce((sum, { item }) => sum + (item.count ?? 1), 0) +
      inSessions.length +
      lost.length +
      costOf({ ...call, status: null }, 'OperationsPerMinute').possible;
    if (most > QUOTA.reservations) return [];
    const what = `a reserve is refused at the cap at ${timeOf(completedAt, history.startedAt)}, when at most ${most} of ${QUOTA.reservations} were held and asked for`;
    return [{ check: 'quotas', what, calls: [call] }];
  });
}

/** Costs of calls (docs/specification.md#what-a-request-costs). */

/** A limit that is charged by the minute. */
export type Charged = 'OperationsPerMinute' | 'ReadsPerMinute';

/** At least and at most so much was charged for a call. */
export interface Cost {
  readonly sure: number;
  readonly possible: number;
}

const NOTHING: Cost = { sure: 0, possible: 0 };

export function costOf(call: Call, charged: Charged): Cost {
  const full = charged === 'OperationsPerMinute' ? writesOf(call) : readsOf(call);
  const isRepeat = call.isReplayed === true || waits(call);
  // A repeat, and the continuation of a ticket, cost one read instead.
  const possible = isRepeat && charged === 'ReadsPerMinute' ? Math.max(full, 1) : full;
  if (call.status === 429) return NOTHING;
  // A script that is called again since the connection to Redis was lost charges nothing then.
  const mayBeFree = isRepeat || call.completedAt - call.invokedAt >= RETRY_EVERY_MS;
  return { sure: outcomeOf(call) === 'done' && !mayBeFree ? full : 0, possible };
}

const slots = (item: { readonly count?: number | undefined }): number => item.count ?? 1;
const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);

function writesOf(call: Call): number {
  switch (call.verb) {
    case 'reserve':
      return sum(call.request.map(slots));
    case 'transaction':
      return sum(call.request.requests.map((one) => (one.requestType === 'RESERVE' ? slots(one) : 1)));
    case 'unreserve':
    case 'renew':
    case 'cancel':
    case 'register':
      return call.request.length;
    case 'beginSession':
    case 'renewSession':
    case 'endSession':
    case 'book':
    case 'cancelBooking':
    case 'delete':
    case 'reset':
      return 1;
    default:
      return 0;
  }
}

function readsOf(call: Call): number {
  switch (call.verb) {
    case 'check':
      return call.request.length;
    case 'active':
    case 'available':
    case 'waiting':
    case 'past':
      return 1;
    default:
      return 0;
  }
}

const Refusal = z.object({ limitType: z.string(), limit: z.number() });

/** Returns the limit that refused a call; null if none did. */
export function refusalOf({ status, failure }: Call): z.infer<typeof Refusal> | null {
  return status === 429 && failure !== null ? Refusal.parse(JSON.parse(failure)) : null;
}
