/** All reservations of a session last as long as the session, and end together (docs/specification.md#sessions). */
import type { Check, Violation } from '../check.ts';
import type { Call, CallOf, History } from '../history.ts';
import { contradictionsOf, unsureRequesters } from './contradictions.ts';
import { type Hold, holdsOf } from './holds.ts';
import type { Span, Undoing } from './loss.ts';
import { type Beat, CLOCK_MS, dueOf, type End, endBy, firstOf, lossOf } from './loss.ts';
import { asksOf, groupBy, outcomeOf } from './outcomes.ts';
import { callsOf, limited, timeOf } from './seen.ts';

export const sessions: Check = {
  name: 'sessions',
  rule: 'A session and all of its reservations last until it ends or is due, and none of them longer.',
  run: (history) => {
    const { holds, sessions, undoing } = holdsOf(history);
    const own = contradictionsOf(history).contradictions.filter(({ about }) => about === 'sessions');
    const held = groupBy(holds, ({ session }) => session ?? '');
    const unsure = unsureRequesters(history.calls.flatMap(asksOf), undoing);
    const violations = [...sessions.values()].flatMap((session) => {
      const isSure = !unsure.has(JSON.stringify([session.tenant, session.begun.request.requester]));
      const inIt = held.get(session.session) ?? [];
      return [
        ...denied(session, history),
        ...outlived(session, history),
        ...miscounted(session, inIt, isSure, history),
      ];
    });
    const all = [...own.map(({ violation }): Violation => ({ check: 'sessions', ...violation })), ...violations];
    return { looked: sessions.size, violations: limited(all) };
  },
};

const callsIn = ({ begun, renewals, endings }: SessionHeld): readonly Call[] =>
  [begun, ...renewals, ...endings].sort((a, b) => a.id - b.id);

const violation = (session: SessionHeld, what: string, holds: readonly Hold[] = []): Violation => ({
  check: 'sessions',
  what,
  calls: callsOf(holds, callsIn(session)),
});

/** Finds answers that a session has ended, though it lives for certain. */
function denied(session: SessionHeld, { startedAt }: History): readonly Violation[] {
  return [...session.renewals, ...session.endings].flatMap((call): readonly Violation[] => {
    const endsFrom = Math.min(...session.ends.filter((end) => end.call !== call).map(({ from }) => from));
    if (call.response?.status !== 'NOT_FOUND' || call.isReplayed || endsFrom <= call.completedAt) return [];
    const at = timeOf(call.completedAt, startedAt);
    return [violation(session, `session ${session.session} lives, and is NOT_FOUND at ${at}`)];
  });
}

/** Finds renewals that answer RENEWED after the session had ended for certain. */
function outlived(session: SessionHeld, { startedAt }: History): readonly Violation[] {
  const ended = session.ends.filter(({ how, by }) => how === 'session' && by < Infinity);
  return session.renewals.flatMap((call): readonly Violation[] => {
    const isOver = ended.some(({ by }) => by < call.invokedAt);
    if (call.response?.status !== 'RENEWED' || call.isReplayed || !isOver) return [];
    const at = timeOf(call.completedAt, startedAt);
    return [violation(session, `session ${session.session} had ended, and is RENEWED at ${at}`)];
  });
}

/** Ends that release fewer or more reservations than the session had. */
function miscounted(
  session: SessionHeld,
  held: readonly Hold[],
  isSure: boolean,
  { startedAt }: History,
): readonly Violation[] {
  return session.endings.flatMap((call): readonly Violation[] => {
    if (call.response?.status !== 'ENDED' || call.isReplayed) return [];
    const { invokedAt, completedAt } = call;
    const others = (hold: Hold) => hold.ends.filter(({ how }) => how !== 'session');
    const sure = held.filter((one) => one.knownAt < invokedAt && others(one).every(({ from }) => from > completedAt));
    const most = held.filter((one) => one.askedAt < completedAt && others(one).every(({ by }) => by >= invokedAt));
    const { released } = call.response;
    if (released >= sure.length && (released <= most.length || !isSure)) return [];
    const what = `session ${session.session} released ${released} at ${timeOf(completedAt, startedAt)}, and had ${sure.length} to ${most.length}`;
    return [violation(session, what, held)];
  });
}

/** The sessions that callers began, with the times between which each of them lives for certain. */

/** It lives for certain from `knownAt` to `endsFrom`. */
export interface SessionHeld {
  readonly tenant: string;
  readonly session: string;
  readonly begun: CallOf<'beginSession'>;
  readonly knownAt: number;
  readonly renewals: readonly CallOf<'renewSession'>[];
  readonly endings: readonly CallOf<'endSession'>[];
  /** When it is due, renewals included. */
  readonly due: Span;
  readonly ends: readonly End[];
  /** The earliest moment at which it may have ended. */
  readonly endsFrom: number;
  /** When it had ended for certain, and its reservations with it. */
  readonly endedBy: number;
}

export function sessionsOf(calls: readonly Call[], undoing: Undoing): ReadonlyMap<string, SessionHeld> {
  const sessions = new Map<string, SessionHeld>();
  const renewals = groupBy(
    calls.filter((call) => call.verb === 'renewSession'),
    ({ request }) => request.session,
  );
  const endings = groupBy(
    calls.filter((call) => call.verb === 'endSession'),
    ({ request }) => request.session,
  );
  for (const call of calls) {
    if (call.verb !== 'beginSession' || call.response === null || sessions.has(call.response.session)) continue;
    const { session } = call.response;
    sessions.set(session, sessionOf(call, session, renewals.get(session) ?? [], endings.get(session) ?? [], undoing));
  }
  return sessions;
}

function sessionOf(
  begun: CallOf<'beginSession'>,
  session: string,
  renewals: readonly CallOf<'renewSession'>[],
  endings: readonly CallOf<'endSession'>[],
  undoing: Undoing,
): SessionHeld {
  const { invokedAt, completedAt: knownAt, tenant } = begun;
  const ttlMs = begun.request.ttlSeconds * 1000;
  const beats = renewals
    .filter(({ response }) => response === null || response.status === 'RENEWED')
    .map((call): Beat => ({ call, outcome: outcomeOf(call), ttlMs }));
  // The response to a repeat says nothing about when the session began.
  const from = begun.isReplayed ? Date.parse(begun.response?.expiresAt ?? '') - ttlMs : invokedAt;
  const first = { from: from + ttlMs - CLOCK_MS, by: knownAt + ttlMs + CLOCK_MS };
  const due = dueOf({ setAt: invokedAt, due: first }, beats, undoing);
  const ends: End[] = [
    { how: 'expired', ...due, call: null },
    ...endings
      .filter((call) => outcomeOf(call) !== 'refused')
      .map((call) => endBy('session', call, outcomeOf(call), undoing)),
    ...lossOf({ from: invokedAt, by: knownAt }, undoing),
  ];
  const { from: endsFrom, by: endedBy } = firstOf(ends);
  return { tenant, session, begun, knownAt, renewals, endings, due, ends, endsFrom, endedBy };
}
