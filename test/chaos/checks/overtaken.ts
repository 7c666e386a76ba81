/** Finds grants to somebody who came later than one whose turn had come (docs/specification.md#waiting-order). */
import type { Violation } from '../check.ts';
import type { History } from '../history.ts';
import { type Hold, holdsOf } from './holds.ts';
import { groupBy } from './outcomes.ts';
import { capacityOf, neededAt, slotsKeptFor } from './places.ts';
import type { Ticket, Wish } from './tickets.ts';
import { callsOf, nameOf, timeOf } from './words.ts';

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

  /** Whether a requester holds nothing else while a grant is made: nothing is kept from one who may have to finish. */
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

/** What a transaction takes that it has released itself is kept for nobody, and shared holds may be joined. */
const mustQueue = ({ call, mode, session }: Hold): boolean =>
  mode === 'EXCLUSIVE' &&
  session === null &&
  (call.verb === 'reserve' ||
    (call.verb === 'transaction' && call.request.requests.every(({ requestType }) => requestType === 'RESERVE')));

const slotsTakenBy = ({ resource, slots, ancestors, blockers }: Hold): readonly string[] => [
  ...new Set([...slotsKeptFor([{ resource }]), ...slots, ...Object.values(ancestors), ...blockers]),
];

/** Whether a ticket was in the queue for certain all the time in which a later request was granted. */
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
 * Whether something is kept where a ticket waits while a grant is made, for itself or for one before it: its resources
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
