/**
 * Checks that streams tell of all that calls did while they were open, once, and of nothing that no call can have done
 * (docs/specification.md#the-stream).
 */
import type { Check, Violation } from '../check.ts';
import type { Call, History, StreamSeen } from '../history.ts';
import { SERVED_PREFIX } from '../things.ts';
import { holdsOf } from './holds.ts';
import { slackOf, undoingOf } from './loss.ts';
import { asksOf, outcomeOf, releasesOf, waits } from './outcomes.ts';
import { callsByRequester, callsOf, changesOf, limited, lossesOf, timeOf } from './seen.ts';

export const eventsComplete: Check = {
  name: 'events-complete',
  rule: 'A stream has an event for each change while it was open, and no event that no call can have caused.',
  run(history) {
    const effects = effectsOf(history);
    const callsOf = callsByRequester(history);
    const isUntold = untoldOf(history);
    const violations: Violation[] = [];
    let looked = 0;
    for (const stream of history.streams) {
      const told = readStream(stream, effects.asked);
      const due = effects.all.filter((effect) => isWithin(effect, stream, told.until));
      looked += due.length;
      for (const { tenant, tokens, ends, requester, call } of due) {
        const missing = tokens.filter((token) => !told.tokens.has(token)).map((token) => `RESERVED ${token}`);
        const count = told.ends.get(requester) ?? 0;
        if (ends > count) missing.push(`UNRESERVED (${ends} ended, ${count} are told)`);
        if (missing.length === 0) continue;
        const at = timeOf(call.completedAt, history.startedAt);
        const what = `stream ${stream.at} of ${tenant} misses ${missing.join(', ')} of ${requester}, done by ${at}`;
        violations.push({ check: this.name, what, calls: callsOf(tenant, requester) });
      }
      violations.push(...phantomsOf(stream, history, callsOf, isUntold));
    }
    return { looked, violations: limited(violations) };
  },
};

/** A certain effect of a call, of one requester. */
interface Effect {
  readonly tenant: string;
  readonly requester: string;
  /** Fencing tokens of what was made. */
  readonly tokens: readonly number[];
  /** Number of reservations of the requester that calls had ended by then. */
  readonly ends: number;
  readonly from: number;
  readonly by: number;
  readonly call: Call;
}

function effectsOf(history: History) {
  const isLost = lossesOf(history);
  const { holds } = holdsOf(history);
  const asked = new Map<string, number>();
  const all: Effect[] = [];
  for (const { tenant, requester, fencingToken, askedAt: from, knownAt: by, call } of holds) {
    asked.set(`${tenant} ${fencingToken}`, from);
    all.push({ tenant, requester, tokens: [fencingToken], ends: 0, from, by, call });
  }
  const ended = new Map<string, { ends: number; from: number }>();
  const gone = new Set<string>();
  /** When a release was first sent of which nobody was told whether it took effect: a repeat has the same answer. */
  const triedFrom = new Map<string, number>();
  for (const { call, item, status, outcome } of history.calls.flatMap(releasesOf)) {
    const token = item.releaseToken ?? '';
    if (outcome === 'unknown' && !triedFrom.has(token)) triedFrom.set(token, call.invokedAt);
    if (outcome !== 'done' || status !== 'RELINQUISHED' || token === '' || gone.has(token)) continue;
    gone.add(token);
    const key = `${call.tenant} ${item.requester}`;
    const before = ended.get(key)?.from ?? Number.POSITIVE_INFINITY;
    const from = Math.min(before, call.invokedAt, triedFrom.get(token) ?? Number.POSITIVE_INFINITY);
    const now = { ends: (ended.get(key)?.ends ?? 0) + 1, from };
    ended.set(key, now);
    all.push({ tenant: call.tenant, requester: item.requester, tokens: [], ...now, by: call.completedAt, call });
  }
  return { asked, all: all.filter(({ from, by }) => !isLost(from, by)) };
}

/** Returns true for changes after the stream was open, and before the request of something that it tells of. */
const isWithin = ({ tenant, from, by }: Effect, stream: StreamSeen, until: number) =>
  tenant === stream.tenant && from > stream.openedAt && by < until;

function readStream({ tenant, events }: StreamSeen, asked: ReadonlyMap<string, number>) {
  const tokens = new Set<number>();
  const ends = new Map<string, number>();
  /** All that was done before this time must be in the stream. */
  let until = 0;
  for (const { event } of events)
    for (const { kind, requester, token } of changesOf(event)) {
      if (kind === 'ended') ends.set(requester, (ends.get(requester) ?? 0) + 1);
      if (kind !== 'made' || token === null) continue;
      tokens.add(token);
      until = Math.max(until, asked.get(`${tenant} ${token}`) ?? 0);
    }
  return { tokens, ends, until };
}

/** Finds reservations and ends in a stream that no call of their requester can have made. */
function phantomsOf(
  stream: StreamSeen,
  { startedAt }: History,
  callsOf: (tenant: string, requester: string) => readonly Call[],
  isUntold: ReturnType<typeof untoldOf>,
): Violation[] {
  const violations: Violation[] = [];
  for (const { event, receivedAt } of stream.events)
    for (const { kind, requester, resource, token } of changesOf(event)) {
      if (requester.startsWith(SERVED_PREFIX)) continue;
      const calls = callsOf(stream.tenant, requester).filter(({ invokedAt }) => invokedAt <= receivedAt);
      const isByCall = kind === 'ended' && event.requestType === 'UNRESERVE';
      const isPossible =
        kind === 'made'
          ? calls.some(mayReserve) && !(token !== null && isUntold(stream.tenant, requester, token))
          : kind === 'expired'
            ? calls.some(mayExpire)
            : !isByCall || calls.some(mayEnd);
      if (isPossible) continue;
      const at = timeOf(receivedAt, startedAt);
      const what = `stream ${stream.at} of ${stream.tenant} tells at ${at} that ${resource} of ${requester} was ${kind}, which no call can have done`;
      violations.push({ check: eventsComplete.name, what, calls });
    }
  return violations;
}

function mayReserve(call: Call): boolean {
  if (outcomeOf(call) === 'refused') return false;
  if (call.verb !== 'reserve' && call.verb !== 'transaction') return false;
  const results = call.verb === 'reserve' ? call.response : call.response?.results;
  if (call.verb === 'transaction' && call.response?.status === 'ROLLED_BACK' && !call.request.waitSeconds) return false;
  const isWaiting = call.verb === 'reserve' && call.request.some(({ waitSeconds }) => waitSeconds);
  const statuses = ['ACQUIRED', 'ALREADY_HAD', 'WAITING'];
  return isWaiting || !results || results.some(({ status }) => statuses.includes(status));
}

/** Leases, sessions and unclaimed grants end by themselves. */
const mayExpire = (call: Call): boolean => {
  if (call.verb === 'renew') return true;
  if (call.verb === 'transaction') return true;
  return (
    call.verb === 'reserve' &&
    call.request.some((item) => item.ttlSeconds !== undefined || item.session !== undefined || item.waitSeconds)
  );
};

/** Returns true if a call ends reservations of its requester, itself or as its session or its grant ends. */
function mayEnd(call: Call): boolean {
  if (outcomeOf(call) === 'refused') return false;
  if (call.verb === 'reserve') return call.request.some((item) => item.session !== undefined || item.waitSeconds);
  return ['unreserve', 'transaction', 'cancel', 'beginSession'].includes(call.verb);
}

/**
 * Tells what was done although no caller was told: a request that was carried out a second time shows only so if its
 * repeat gets the answer of the first.
 */

/**
 * Returns whether no caller was told of a reservation, although its requester was told all that their calls did: none
 * of these waits, may be unknown, or was sent while something was broken.
 */
export function untoldOf(history: History): (tenant: string, requester: string, token: number) => boolean {
  const callsOf = callsByRequester(history);
  const isLost = lossesOf(history);
  const { isNear } = undoingOf(history);
  const told = new Set(holdsOf(history).holds.map(({ tenant, fencingToken }) => `${tenant} ${fencingToken}`));
  return (tenant, requester, token) => {
    if (told.has(`${tenant} ${token}`)) return false;
    const calls = callsOf(tenant, requester);
    return (
      calls.length > 0 &&
      calls.every(
        (call) =>
          outcomeOf(call) !== 'unknown' &&
          !waits(call) &&
          !isLost(call.invokedAt, call.completedAt) &&
          !isNear(call.invokedAt, call.completedAt),
      )
    );
  };
}

/** Finds callers that were told late of a grant although their long poll was open (docs/specification.md#waiting). */

/** A call that is held is answered at once; the rest is for the way of a busy machine. */
const WITHIN_MS = 1000;

export function toldLate(history: History): readonly Violation[] {
  const slack = slackOf(history);
  /** Returns true if calls at an address notice a fault in a time. Scripts that are lost are sent again. */
  const isNear = (address: string, from: number, by: number) => {
    const faults = history.faults.filter(
      ({ kind, sparedAddresses = [] }) => kind !== 'script-flush' && !sparedAddresses.includes(address),
    );
    return undoingOf({ faults }).isNear(from, by);
  };
  const grantedAt = new Map<string, number>();
  for (const { tenant, events } of history.streams)
    for (const { event, receivedAt } of events)
      for (const { kind, token } of changesOf(event)) {
        const key = `${tenant} ${token}`;
        if (kind === 'made') grantedAt.set(key, Math.min(receivedAt, grantedAt.get(key) ?? Infinity));
      }
  return history.calls.flatMap((call): readonly Violation[] => {
    if (call.isReplayed || call.pollSeconds === undefined) return [];
    const { invokedAt, completedAt, tenant } = call;
    const late = asksOf(call).find(({ waits, result }) => {
      const at = grantedAt.get(`${tenant} ${result?.fencingToken}`);
      if (!waits || result?.status !== 'ACQUIRED' || at === undefined || at < invokedAt) return false;
      return completedAt > at + WITHIN_MS + slack(at, completedAt) && !isNear(call.at, at - WITHIN_MS, completedAt);
    });
    if (!late) return [];
    const { resource, requester, fencingToken } = late.result ?? {};
    const at = grantedAt.get(`${tenant} ${fencingToken}`) ?? 0;
    const what = `${requester} was granted ${resource} by ${timeOf(at, history.startedAt)}, and its long poll lasted until ${timeOf(completedAt, history.startedAt)}`;
    return [{ check: 'queue', what, calls: callsOf([], [call]) }];
  });
}
