/** All reservations of a session last as long as the session, and end together (docs/specification.md#sessions). */
import type { Check, Violation } from '../check.ts';
import type { Call, History } from '../history.ts';
import { contradictionsOf, unsureRequesters } from './contradictions.ts';
import { type Hold, holdsOf } from './holds.ts';
import { asksOf, groupBy } from './outcomes.ts';
import type { SessionHeld } from './sessionsHeld.ts';
import { callsOf, limited, timeOf } from './words.ts';

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

/** Calls that are told that a session has ended, though it lives for certain. */
function denied(session: SessionHeld, { startedAt }: History): readonly Violation[] {
  return [...session.renewals, ...session.endings].flatMap((call): readonly Violation[] => {
    const endsFrom = Math.min(...session.ends.filter((end) => end.call !== call).map(({ from }) => from));
    if (call.response?.status !== 'NOT_FOUND' || call.isReplayed || endsFrom <= call.completedAt) return [];
    const at = timeOf(call.completedAt, startedAt);
    return [violation(session, `session ${session.session} lives, and is NOT_FOUND at ${at}`)];
  });
}

/** Renewals that are told RENEWED after the session had been ended for certain. */
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
