/**
 * Turns the calls of a history into the reservations that callers know of, with the times between which each of them is
 * held for certain.
 */
import type { Mode } from '../../../src/domain/reservations.ts';
import type { Call, History } from '../history.ts';
import { CLOCK_MS, dueOf, type End, endBy, firstOf, lossOf, type Span, type Undoing, undoingOf } from './loss.ts';
import {
  type Asked,
  asksOf,
  groupBy,
  outcomeOf,
  type Released,
  type Renewed,
  releasesOf,
  renewalsOf,
} from './outcomes.ts';
import { type SessionHeld, sessionsOf } from './sessions.ts';

/** A reservation that a caller was told of. It is held for certain from `knownAt` to `endsFrom`. */
export interface Hold {
  readonly tenant: string;
  /** As requested, or as picked by a match. */
  readonly resource: string;
  readonly requester: string;
  readonly token: string;
  readonly fencingToken: number;
  readonly mode: Mode;
  readonly session: string | null;
  /** Its own slots: of a pool those that it got, else the resource. */
  readonly slots: readonly string[];
  /** Pools among its ancestors, each with its slot there, which belongs to the requester. */
  readonly ancestors: Readonly<Record<string, string>>;
  readonly blockers: readonly string[];
  /** The earliest invocation of a call that may have been granted it. */
  readonly askedAt: number;
  /** When a caller was first told. */
  readonly knownAt: number;
  /** The call that told so. */
  readonly call: Call;
  /** When its lease ends, renewals included; `from` is Infinity if it has none. */
  readonly lease: Span;
  readonly renewals: readonly Renewed[];
  readonly releases: readonly Released[];
  /** All that ends it, or may. */
  readonly ends: readonly End[];
  /** The earliest moment at which it may have ended. */
  readonly endsFrom: number;
  /** When it had ended for certain. Infinity: it may be in force still. */
  readonly endedBy: number;
}

/** Tells a reservation from all others, even if a moved clock lets a fencing token come twice. */
export const identityOf = ({ fencingToken, requester }: Pick<Hold, 'fencingToken' | 'requester'>): string =>
  `${fencingToken} ${requester}`;

export interface Holds {
  /** In the order in which they became known. */
  readonly holds: readonly Hold[];
  readonly byToken: ReadonlyMap<string, Hold>;
  readonly sessions: ReadonlyMap<string, SessionHeld>;
  readonly undoing: Undoing;
}

const seen = new WeakMap<History, Holds>();

/** Returns the holds of a history. They are computed once for all checks. */
export function holdsOf(history: History): Holds {
  const known = seen.get(history) ?? compute(history);
  seen.set(history, known);
  return known;
}

/** A hold whose ends are not known yet. */
type Grant = Omit<Hold, 'lease' | 'renewals' | 'releases' | 'ends' | 'endsFrom' | 'endedBy'>;

function compute(history: History): Holds {
  const undoing = undoingOf(history);
  const sessions = sessionsOf(history.calls, undoing);
  const releases = groupBy(history.calls.flatMap(releasesOf), ({ item }) => item.releaseToken ?? '');
  const renewals = groupBy(history.calls.flatMap(renewalsOf), ({ item }) => item.releaseToken ?? '');
  const resets = history.calls.filter(({ verb }) => verb === 'reset');
  const holds = grantsOf(history.calls).map(({ asked, grant }): Hold => {
    const own = renewals.get(grant.token) ?? [];
    const released = releases.get(grant.token) ?? [];
    const session = grant.session === null ? undefined : sessions.get(grant.session);
    const lease = leaseOf(grant, asked, own, undoing);
    const ends: End[] = [
      ...released.filter(({ outcome }) => outcome !== 'refused').map((one) => releaseEnd(one, undoing)),
      ...(lease.from < Infinity ? [{ how: 'expired' as const, ...lease, call: null }] : []),
      ...(session ? [{ how: 'session' as const, from: session.endsFrom, by: session.endedBy, call: null }] : []),
      ...resetEnds(grant, resets, undoing),
      ...lossOf(toldIn(grant), undoing),
    ];
    const { from: endsFrom, by: endedBy } = firstOf(ends);
    return { ...grant, lease, renewals: own, releases: released, ends, endsFrom, endedBy };
  });
  holds.sort((a, b) => a.knownAt - b.knownAt);
  return { holds, byToken: new Map(holds.map((hold) => [hold.token, hold])), sessions, undoing };
}

/** When the call ran in which the reservation was seen. The response to a repeat may be as old as the first request. */
const toldIn = ({ call, askedAt, knownAt }: Grant): Span => ({
  from: call.isReplayed ? askedAt : call.invokedAt,
  by: knownAt,
});

/** A release ends it, or says that it has ended. */
const releaseEnd = ({ call, outcome }: Released, undoing: Undoing) => endBy('released', call, outcome, undoing);

const resetEnds = (grant: Grant, resets: readonly Call[], undoing: Undoing): readonly End[] =>
  resets
    .filter((call) => call.tenant === grant.tenant && outcomeOf(call) !== 'refused' && call.completedAt > grant.askedAt)
    .map((call) => {
      const end = endBy('reset', call, outcomeOf(call), undoing);
      return call.invokedAt > grant.knownAt ? end : { ...end, by: Infinity };
    });

function leaseOf(grant: Grant, asked: Asked, renewals: readonly Renewed[], undoing: Undoing): Span {
  // A renewal of a reservation that lasts as long as a session changes nothing.
  if (grant.session !== null) return { from: Infinity, by: Infinity };
  const beats = renewals
    .filter(({ result }) => result === null || result.status === 'RENEWED')
    .map(({ call, outcome, item }) => ({ call, outcome, ttlMs: item.ttlSeconds * 1000 }));
  return dueOf(firstLease(grant.askedAt, asked, undoing), beats, undoing);
}

/** Returns the end of the lease with which a reservation was made, or which begins with its caller's answer. */
function firstLease(askedAt: number, { call, item, result, waits }: Asked, undoing: Undoing) {
  if (!result || result.expiresAt === null) return null;
  const isMadeHere = result.status === 'ACQUIRED' && !call.isReplayed;
  if (isMadeHere && item.ttlSeconds !== undefined) {
    const ttlMs = item.ttlSeconds * 1000;
    // If the claim is undone, but not the grant, it waits to be claimed for up to `claimSeconds`.
    const isUndone = waits && undoing.undoneFrom({ from: call.invokedAt, by: call.completedAt }) < Infinity;
    const by = isUndone ? Infinity : call.completedAt + ttlMs + CLOCK_MS;
    const due = { from: call.invokedAt + ttlMs - CLOCK_MS, by };
    return { setAt: call.invokedAt, due };
  }
  const due = Date.parse(result.expiresAt);
  return { setAt: askedAt, due: { from: due - DRIFT_MS, by: due + DRIFT_MS } };
}

/** Largest difference between the clock of the campaign, which is never set, and that of the machine. */
const DRIFT_MS = 500;

/** Returns what callers were told that they have, once for each token. */
function grantsOf(calls: readonly Call[]): readonly { readonly grant: Grant; readonly asked: Asked }[] {
  const grants = new Map<string, { readonly grant: Grant; readonly asked: Asked }>();
  const unknownSince = new Map<string, number>();
  const waitingSince = new Map<string, number>();
  for (const asked of calls.flatMap(asksOf)) {
    const { call, item, result, outcome, waits } = asked;
    const who = JSON.stringify([call.tenant, item.requester]);
    const what = JSON.stringify([call.tenant, item.requester, item.match ?? item.resource]);
    if (outcome === 'unknown' && !unknownSince.has(who)) unknownSince.set(who, call.invokedAt);
    if (waits && result?.status === 'WAITING' && !waitingSince.has(what)) waitingSince.set(what, call.invokedAt);
    const since = Math.min(unknownSince.get(who) ?? Infinity, waitingSince.get(what) ?? Infinity);
    const grant = grantOf(asked, Math.min(since, call.invokedAt));
    if (grant && !grants.has(grant.token)) grants.set(grant.token, { grant, asked });
    if (result && result.status !== 'WAITING') waitingSince.delete(what);
  }
  return [...grants.values()];
}

function grantOf({ call, item, result }: Asked, askedAt: number): Grant | null {
  if (!result || result.releaseToken === null || result.fencingToken === null) return null;
  const { acquiredSlots, slots, resource } = result;
  const own = ownSlot(resource, acquiredSlots ?? {});
  const ancestors = Object.fromEntries(Object.entries(acquiredSlots ?? {}).filter(([, slot]) => slot !== own));
  return {
    tenant: call.tenant,
    resource,
    requester: result.requester,
    token: result.releaseToken,
    fencingToken: result.fencingToken,
    mode: result.mode ?? 'EXCLUSIVE',
    session: item.session ?? null,
    slots: slots ?? [own],
    ancestors,
    blockers: result.acquiredBlockers ?? [],
    askedAt,
    knownAt: call.completedAt,
    call,
  };
}

/** Returns the slot that a reservation of a name has: of a pool the one that it got. */
function ownSlot(resource: string, acquiredSlots: Readonly<Record<string, string>>): string {
  const name = resource.slice(resource.lastIndexOf('>') + 1);
  return acquiredSlots[name] ?? name;
}
