/**
 * Checks the order in which those who wait are served, that nothing is granted twice, and that nobody waits for a plain
 * name that is free (docs/specification.md#waiting-order).
 */
import type { Check, Violation } from '../check.ts';
import type { EndState, History, StreamSeen } from '../history.ts';
import { FIXED, PLAIN } from '../things.ts';
import { capacityOf, neededAt, slotsKeptFor } from './capacity.ts';
import { toldLate } from './eventsComplete.ts';
import { type Hold, holdsOf } from './holds.ts';
import { asksOf, groupBy } from './outcomes.ts';
import { callsOf, changesOf, limited, nameOf, timeOf } from './seen.ts';
import { plainNameOf, type Ticket, ticketsOf, type Wish } from './tickets.ts';

export const queue: Check = {
  name: 'queue',
  rule: 'Who waits for something gets it before those who come later, once, and as soon as it is free.',
  run(history) {
    const { wishes, tickets } = ticketsOf(history);
    const plain = groupBy(tickets, (ticket) => `${ticket.tenant} ${plainNameOf(ticket) ?? ''}`);
    const violations = [
      ...doubles(history),
      ...history.end.flatMap(idle),
      ...overtaken(wishes, tickets, history),
      ...toldLate(history),
      ...[...plain.values()].flatMap((waiting) => starved(waiting, history)),
    ];
    return { looked: tickets.length, violations: limited(violations) };
  },
};

/** Time that a name may be free while somebody waits for it: others look for those of an instance that is gone. */
const IDLE_MS = 4_000;

/** Finds times in which a stream says that nobody held a name for which somebody waited, far from any fault. */
function starved(tickets: readonly Ticket[], history: History): Violation[] {
  const [first] = tickets;
  if (!first) return [];
  const { tenant } = first;
  const resource = plainNameOf(first);
  if (resource === null) return [];
  const free = history.streams
    .filter((stream) => stream.tenant === tenant)
    .flatMap((stream) => freeTimes(stream, resource));
  return free.flatMap(({ from, by }) => {
    const isNear = history.faults.some(
      (one) => one.startedAt - IDLE_MS <= by && one.healedAt + one.servedWithinMs + IDLE_MS >= from,
    );
    const waiting = tickets.find(
      (one) => Math.min(one.endedAt, one.attendedUntil, one.until, by) - Math.max(one.queuedAt, from) > IDLE_MS,
    );
    if (isNear || !waiting) return [];
    const times = [from, by].map((at) => timeOf(at, history.startedAt));
    const what = `${waiting.requester} waited for ${resource}, which nobody held from ${times.join(' to ')}`;
    return [{ check: queue.name, what, calls: waiting.calls }];
  });
}

/** By then everything has ended that was held when a stream was opened. */
const LONGEST_MS = 15_000;

/** Returns when a stream says that nobody held a name. */
function freeTimes(
  { events, openedAt }: StreamSeen,
  resource: string,
): { readonly from: number; readonly by: number }[] {
  const found: { from: number; by: number }[] = [];
  const holders = new Set<string>();
  let freeFrom = Infinity;
  for (const { receivedAt, event } of events)
    for (const { kind, requester, resource: name } of changesOf(event)) {
      if (name !== resource) continue;
      if (kind === 'made' && freeFrom < receivedAt) found.push({ from: freeFrom, by: receivedAt });
      if (kind === 'made' || kind === 'renewed') holders.add(requester);
      if (kind === 'ended') holders.delete(requester);
      if (kind === 'ended' && holders.size === 0 && receivedAt > openedAt + LONGEST_MS) freeFrom = receivedAt;
      else if (holders.size > 0) freeFrom = Infinity;
    }
  const last = events.at(-1);
  return last && freeFrom < last.receivedAt ? [...found, { from: freeFrom, by: last.receivedAt }] : found;
}

/** Finds reservations that two callers were told ACQUIRED of. */
function doubles({ calls }: History): Violation[] {
  const told = new Map<string, Violation['calls'][number]>();
  const violations: Violation[] = [];
  for (const call of calls) {
    if (call.isReplayed || call.idempotencyKey !== undefined) continue;
    for (const { result } of asksOf(call)) {
      if (result?.status !== 'ACQUIRED' || result.releaseToken === null) continue;
      const before = told.get(result.releaseToken);
      told.set(result.releaseToken, call);
      if (!before) continue;
      const what = `${result.requester} (${result.resource}, ${result.fencingToken}) was told ACQUIRED twice, by calls ${before.id} and ${call.id}`;
      violations.push({ check: queue.name, what, calls: [before, call] });
    }
  }
  return violations;
}

/** Finds those who wait in the end for a plain name that nobody holds. */
function idle({ tenant, waiting, active, readAt }: EndState): Violation[] {
  const held = new Set(active.map(({ resource }) => resource));
  return waiting
    .filter(({ resources: [name = ''], method, attended, since }) => {
      const isLong = Date.parse(since) < readAt - IDLE_MS;
      return method === null && attended && isLong && PLAIN.some((one) => one === name) && !held.has(name);
    })
    .map(({ requester, waitsFor }) => ({
      check: queue.name,
      what: `${tenant}: ${requester} waits in the end for ${waitsFor}, which nobody holds`,
      calls: [],
    }));
}

/** The slots that holds take, with their owners (docs/specification.md#plans). */

/** One slot that a hold takes for certain between two times. */
export interface Claim {
  readonly hold: Hold;
  readonly slot: string;
  /** Two claims with one owner may share the slot. */
  readonly owner: string;
  readonly isShared: boolean;
  readonly from: number;
  readonly by: number;
}

const BLOCKING = new Set(FIXED.filter(({ blocks }) => blocks).map(({ name }) => name));

/**
 * Returns the slots that a hold takes for certain. Blockers are those of FIXED resources: of others it is not known
 * which resource declares them, so neither is their owner.
 */
export function claimsOf(hold: Hold): readonly Claim[] {
  const { knownAt: from, endsFrom: by, requester } = hold;
  if (by <= from) return [];
  const own = hold.slots.map((slot) => ({ slot, owner: requester, isShared: hold.mode === 'SHARED' }));
  const ancestors = Object.values(hold.ancestors).map((slot) => ({ slot, owner: requester, isShared: false }));
  const blockers = BLOCKING.has(hold.resource) ? hold.blockers : [];
  const along = blockers.map((slot) => ({ slot, owner: `system:${hold.resource}`, isShared: false }));
  return [...own, ...ancestors, ...along].map((claim) => ({ ...claim, hold, from, by }));
}

/** Finds grants to somebody who came later than one whose turn had come (docs/specification.md#waiting-order). */

/** Faults after which instances issue tickets again, or after which nobody attended them for a while. */
const STILL_MS = 3_000;
/** So long before and after such a fault the order is not judged: definitions may be lost, too. */
const NEAR_MS = 10_000;

function disturbances({ faults }: History) {
  const grave = faults.filter(
    ({ startedAt, healedAt, loses, clockStepMs }) =>
      loses !== 'nothing' || clockStepMs !== 0 || healedAt - startedAt > STILL_MS,
  );
  return (from: number, by: number) =>
    grave.some(({ startedAt, healedAt }) => startedAt - NEAR_MS <= by && healedAt + NEAR_MS >= from);
}

export function overtaken(wishes: readonly Wish[], tickets: readonly Ticket[], history: History): readonly Violation[] {
  const { holds } = holdsOf(history);
  const isDisturbed = disturbances(history);
  const own = groupBy(holds, ({ tenant, requester }) => `${tenant} ${requester}`);
  const bySlot = new Map<string, Ticket[]>();
  for (const ticket of tickets)
    for (const slot of new Set(slotsKeptFor(ticket.wanted))) {
      const key = `${ticket.tenant} ${slot}`;
      bySlot.set(key, [...(bySlot.get(key) ?? []), ticket]);
    }
  const mayCancel = history.calls.filter(({ verb }) => verb === 'cancel' || verb === 'reset');

  /** Returns true if a requester holds nothing else during a grant: nothing is kept from one who may have to finish. */
  const holdsNothing = ({ tenant, requester }: Pick<Hold, 'tenant' | 'requester'>, from: number, grant: Hold) =>
    (own.get(`${tenant} ${requester}`) ?? []).every(
      (one) =>
        // A transaction is judged by what was held before it, the items of a reserve one after the other.
        (one.call === grant.call && grant.call.verb === 'transaction') ||
        one.fencingToken >= grant.fencingToken ||
        one.endedBy < from,
    );

  const isCancelled = ({ askedAt, requester }: Ticket, by: number) =>
    mayCancel.some(
      (call) =>
        call.completedAt > askedAt &&
        call.invokedAt < by &&
        (call.verb !== 'cancel' || call.request.some((one) => one.requester === requester)),
    );

  return holds.filter(mustQueue).flatMap((grant): readonly Violation[] => {
    const { tenant, requester, askedAt, knownAt } = grant;
    if (!holdsNothing(grant, askedAt, grant)) return [];
    const waiting = new Set(slotsTakenBy(grant).flatMap((slot) => bySlot.get(`${tenant} ${slot}`) ?? []));
    const passed = [...waiting].find(
      (ticket) =>
        ticket.requester !== requester &&
        isWaitingBehind(ticket, grant) &&
        holdsNothing(ticket, ticket.askedAt, grant) &&
        !isDisturbed(ticket.askedAt, knownAt) &&
        !isCancelled(ticket, knownAt) &&
        isNext(ticket, wishes, grant),
    );
    if (!passed) return [];
    const since = timeOf(passed.queuedAt, history.startedAt);
    const what = `${nameOf(grant)} was granted at ${timeOf(knownAt, history.startedAt)} before ${passed.requester}, which waited for it since ${since} and was there`;
    return [{ check: 'queue', what, calls: callsOf([grant], passed.calls) }];
  });
}

/** Returns false for slots that a transaction may have released itself, and for shared holds, which may be joined. */
const mustQueue = ({ call, mode, session }: Hold): boolean =>
  mode === 'EXCLUSIVE' &&
  session === null &&
  (call.verb === 'reserve' ||
    (call.verb === 'transaction' && call.request.requests.every(({ requestType }) => requestType === 'RESERVE')));

const slotsTakenBy = ({ resource, slots, ancestors, blockers }: Hold): readonly string[] => [
  ...new Set([...slotsKeptFor([{ resource }]), ...slots, ...Object.values(ancestors), ...blockers]),
];

/** Returns true if a ticket was in the queue for certain all the time in which a later request was granted. */
function isWaitingBehind({ queuedAt, attendedUntil, until, fencingToken, endedAt, priority }: Ticket, grant: Hold) {
  const { askedAt, knownAt } = grant;
  const isStill = queuedAt < askedAt && attendedUntil > knownAt && until > knownAt;
  const isLater = fencingToken === null ? endedAt > knownAt : fencingToken > grant.fencingToken;
  return isStill && isLater && priority >= priorityOf(grant);
}

/** One who does not wait comes after all who do. */
function priorityOf({ call, requester }: Hold): number {
  const one =
    call.verb === 'transaction'
      ? call.request
      : call.verb === 'reserve'
        ? call.request.find((item) => item.requester === requester)
        : undefined;
  return one?.waitSeconds ? (one.priority ?? 0) : -Infinity;
}

/**
 * Returns true if something is kept where a ticket waits during a grant, for itself or for one before it: its resources
 * are enough for it and for all before it; or it wants one slot, and all before it want only that.
 */
function isNext(ticket: Ticket, wishes: readonly Wish[], { askedAt, knownAt }: Hold): boolean {
  const [only, ...more] = ticket.resources;
  const isOfOneSlot = more.length === 0 && slotsKeptFor(ticket.wanted)[0] === only;
  const mine = new Set(ticket.resources);
  const before = wishes.filter(
    (one) =>
      one.tenant === ticket.tenant &&
      (one.requester !== ticket.requester || one.askedAt !== ticket.askedAt) &&
      one.askedAt < knownAt &&
      one.goneBy > askedAt &&
      (one.askedAt < ticket.queuedAt || one.priority > ticket.priority) &&
      one.priority >= ticket.priority &&
      one.resources.some((name) => mine.has(name)),
  );
  const isEnough = ticket.resources.every((name) => {
    const needed = [ticket, ...before].reduce((sum, { wanted }) => sum + neededAt(wanted, name), 0);
    return needed <= capacityOf(name);
  });
  return isEnough || (isOfOneSlot && before.every(({ resources }) => resources.length === 1));
}
