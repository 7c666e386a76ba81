/**
 * Compares every answer with what is held for certain then, and with what has ended for certain. The checks `leases`,
 * `sessions` and `loss` each take the contradictions that are about their rule.
 */
import type { Violation } from '../check.ts';
import type { Call, History } from '../history.ts';
import { FIXED, SHIFTING } from '../things.ts';
import { type Hold, type Holds, holdsOf, identityOf } from './holds.ts';
import type { Undoing } from './loss.ts';
import { type Asked, asksOf, groupBy } from './outcomes.ts';
import { callsOf, nameOf, timeOf } from './seen.ts';

export type About = 'leases' | 'sessions' | 'loss';

export interface Contradiction {
  readonly about: About;
  readonly violation: Omit<Violation, 'check'>;
}

export interface Compared {
  readonly looked: number;
  readonly contradictions: readonly Contradiction[];
}

const seen = new WeakMap<History, Compared>();

/** Returns the contradictions of a history. They are computed once for all checks. */
export function contradictionsOf(history: History): Compared {
  const known = seen.get(history) ?? compare(history);
  seen.set(history, known);
  return known;
}

function compare(history: History): Compared {
  const holds = holdsOf(history);
  const asks = history.calls.flatMap(asksOf);
  const found = [
    ...holds.holds.flatMap((hold) => denials(hold, history)),
    ...forgotten(asks, holds, history),
    ...lingering(asks, holds, history),
    ...listings(holds, history),
  ];
  return { looked: holds.holds.length + asks.length, contradictions: found };
}

/** The rule that keeps a hold that is denied too early. */
const keptBy = ({ session, lease }: Hold): About =>
  session !== null ? 'sessions' : lease.from < Infinity ? 'leases' : 'loss';

/** The rule that ended a hold that is shown too late. */
export function endedThrough({ ends, endedBy }: Hold): About {
  const how = ends.find(({ by }) => by === endedBy)?.how;
  return how === 'expired' ? 'leases' : how === 'session' ? 'sessions' : 'loss';
}

/** The earliest moment at which a hold may have ended, had a call not been made. */
export const endsWithout = ({ ends }: Hold, call: Call): number =>
  Math.min(...ends.filter((end) => end.call !== call).map(({ from }) => from));

const contradiction = (about: About, holds: readonly Hold[], call: Call, what: string): Contradiction => ({
  about,
  violation: { what, calls: callsOf(holds, [call]) },
});

/** A renewal or a release with the token that is answered as if the hold had ended. */
function denials(hold: Hold, { startedAt }: History): readonly Contradiction[] {
  const answers = [
    ...hold.renewals.map(({ call, result }) => ({ call, status: result?.status ?? null })),
    ...hold.releases.map(({ call, status, outcome }) => ({ call, status: outcome === 'done' ? status : null })),
  ];
  // A call may release the same reservation twice.
  const releasing = new Set(hold.releases.filter(({ status }) => status === 'RELINQUISHED').map(({ call }) => call));
  return answers.flatMap(({ call, status }): readonly Contradiction[] => {
    const isDenied = status === 'NOT_RESERVED' || status === 'DOESNT_OWN_RESERVATION';
    if (!isDenied || releasing.has(call) || call.isReplayed || endsWithout(hold, call) <= call.completedAt) return [];
    const what = `${nameOf(hold)} is held, and is answered ${status} at ${timeOf(call.completedAt, startedAt)}`;
    return [contradiction(keptBy(hold), [hold], call, what)];
  });
}

/** Returns whether a name means the same for the whole campaign: to ask for it again is to ask for the same thing. */
function lastingNames({ faults }: History): (name: string) => boolean {
  // A Redis that loses everything loses definitions: a pool is a plain name until it is registered again.
  const lost = faults.some(({ loses }) => loses === 'everything') ? FIXED.map(({ name }) => name) : [];
  const shifting = new Set<string>([...SHIFTING, ...lost]);
  return (name) => !shifting.has(name.slice(name.lastIndexOf('>') + 1).replace(/_\d+$/, ''));
}

/** A holder who asks for the same again gets ALREADY_HAD, with the token. */
function forgotten(asks: readonly Asked[], { holds }: Holds, history: History): readonly Contradiction[] {
  const own = groupBy(holds, ({ tenant, requester, resource }) => JSON.stringify([tenant, requester, resource]));
  const isLasting = lastingNames(history);
  return asks.flatMap(({ call, item, result }): readonly Contradiction[] => {
    if (call.verb !== 'reserve' || !result || item.match || call.isReplayed || !isLasting(result.resource)) return [];
    const same = own.get(JSON.stringify([call.tenant, result.requester, result.resource])) ?? [];
    const hold = same.find(
      ({ knownAt, endsFrom, mode }) =>
        knownAt < call.invokedAt && endsFrom > call.completedAt && mode === (item.mode ?? 'EXCLUSIVE'),
    );
    if (!hold || hold.token === result.releaseToken) return [];
    const at = timeOf(call.completedAt, history.startedAt);
    const what = `${nameOf(hold)} is held, and its holder who asks again is answered ${result.explanation} at ${at}`;
    return [contradiction(keptBy(hold), [hold], call, what)];
  });
}

/** Nobody is refused because of a hold that has ended. */
function lingering(asks: readonly Asked[], { holds, undoing }: Holds, history: History): readonly Contradiction[] {
  const own = groupBy(holds, ({ tenant, requester }) => JSON.stringify([tenant, requester]));
  const unsure = unsureRequesters(asks, undoing);
  return asks.flatMap(({ call, result }): readonly Contradiction[] => {
    const holder = result?.heldBy?.requester ?? null;
    if (holder === null || call.isReplayed) return [];
    const who = JSON.stringify([call.tenant, holder]);
    const theirs = own.get(who) ?? [];
    const last = theirs.toSorted((a, b) => b.endedBy - a.endedBy)[0];
    if (unsure.has(who) || !last || last.endedBy >= call.invokedAt) return [];
    const at = timeOf(call.invokedAt, history.startedAt);
    const what = `${result?.requester} is refused ${result?.resource} after ${at} because of ${nameOf(last)}, which had ended`;
    return [contradiction(endedThrough(last), [last], call, what)];
  });
}

/**
 * Returns who may hold something that they were never told of. If the end of a wait is undone, the ticket is back, and
 * may be granted again.
 */
export function unsureRequesters(asks: readonly Asked[], undoing: Undoing): ReadonlySet<string> {
  const unsure = asks.filter(
    ({ call, outcome, result, waits }) =>
      outcome === 'unknown' ||
      result?.status === 'WAITING' ||
      (waits && undoing.undoneFrom({ from: call.invokedAt, by: call.completedAt }) < Infinity),
  );
  return new Set(unsure.map(({ call, item }) => JSON.stringify([call.tenant, item.requester])));
}

/**
 * A list shows all that is held while it is read, and nothing that has ended before (docs/specification.md#listings).
 */
function listings({ holds }: Holds, { calls, startedAt }: History): readonly Contradiction[] {
  return calls.flatMap((call): readonly Contradiction[] => {
    if (call.verb !== 'active' || call.response === null) return [];
    const listed = new Set(call.response.map(identityOf));
    const at = timeOf(call.invokedAt, startedAt);
    return holds.flatMap((hold): readonly Contradiction[] => {
      if (hold.tenant !== call.tenant || (call.request !== '' && call.request !== hold.resource)) return [];
      const isHeld = hold.knownAt < call.invokedAt && hold.endsFrom > call.completedAt;
      const isOver = hold.endedBy < call.invokedAt;
      if (isHeld && !listed.has(identityOf(hold)))
        return [contradiction(keptBy(hold), [hold], call, `${nameOf(hold)} is held, and not listed at ${at}`)];
      if (!isOver || !listed.has(identityOf(hold))) return [];
      return [contradiction(endedThrough(hold), [hold], call, `${nameOf(hold)} has ended, and is listed at ${at}`)];
    });
  });
}
