/** The sessions that callers began, with the times between which each of them lives for certain. */
import type { Call, CallOf } from '../history.ts';
import { type Beat, CLOCK_MS, dueOf, type End, endBy, firstOf, lossOf } from './lasting.ts';
import { groupBy, outcomeOf } from './outcomes.ts';
import type { Span, Undoing } from './undone.ts';

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
