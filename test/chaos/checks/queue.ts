/**
 * Checks the order in which plain names are granted to those who wait, that nothing is granted twice, and that nobody
 * waits for what is free (docs/specification.md#waiting-order).
 */
import type { Check, Violation } from '../check.ts';
import type { EndState, History, StreamSeen } from '../history.ts';
import { PLAIN } from '../things.ts';
import { type Hold, holdsOf } from './holds.ts';
import { asksOf, groupBy } from './outcomes.ts';
import { changesOf } from './seen.ts';
import { type Ticket, ticketsOf } from './tickets.ts';
import { callsOf, limited, nameOf, timeOf } from './words.ts';

export const queue: Check = {
  name: 'queue',
  rule: 'Who waits for a name gets it before those who come later, once, and as soon as it is free.',
  run(history) {
    const tickets = groupBy(ticketsOf(history), keyOf);
    const grants = groupBy(holdsOf(history).holds.filter(mustQueue), keyOf);
    const violations: Violation[] = [...doubles(history), ...history.end.flatMap(idle)];
    let looked = 0;
    for (const [key, waiting] of tickets) {
      looked += waiting.length;
      violations.push(...overtaken(waiting, grants.get(key) ?? [], history), ...starved(waiting, history));
    }
    return { looked, violations: limited(violations) };
  },
};

const keyOf = ({ tenant, resource }: { readonly tenant: string; readonly resource: string }) => `${tenant} ${resource}`;

/** What a transaction takes that it has released itself is kept for nobody, and shared holds may be joined. */
const mustQueue = ({ call, mode, resource }: Hold) =>
  call.verb === 'reserve' && mode === 'EXCLUSIVE' && PLAIN.some((name) => name === resource);

/** Faults after which instances issue tickets again, or after which nobody attended them for a while. */
const STILL_MS = 3_000;
/** So long before and after such a fault the order is not judged. */
const NEAR_MS = 5_000;

function disturbances({ faults }: History) {
  const grave = faults.filter(
    ({ startedAt, healedAt, loses, clockStepMs }) =>
      loses !== 'nothing' || clockStepMs !== 0 || healedAt - startedAt > STILL_MS,
  );
  return (from: number, by: number) =>
    grave.some(({ startedAt, healedAt }) => startedAt - NEAR_MS <= by && healedAt + NEAR_MS >= from);
}

/** Finds grants to somebody who asked later than one who waited all the time. */
function overtaken(tickets: readonly Ticket[], grants: readonly Hold[], history: History): Violation[] {
  const isDisturbed = disturbances(history);
  const cancels = history.calls.filter(({ verb }) => verb === 'cancel' || verb === 'reset');
  const own = new Map(tickets.map((ticket) => [ticket.requester, ticket]));
  const violations: Violation[] = [];
  const byTime = [...tickets].sort((a, b) => a.queuedAt - b.queuedAt);
  let first = 0;
  for (const grant of [...grants].sort((a, b) => a.askedAt - b.askedAt)) {
    const later = own.get(grant.requester);
    const { askedAt, knownAt } = grant;
    while (byTime[first] && (byTime[first]?.attendedUntil ?? 0) < askedAt) first++;
    for (const ticket of byTime.slice(first)) {
      if (ticket.queuedAt >= askedAt) break;
      const isStill = ticket.attendedUntil > knownAt && ticket.until > knownAt;
      const isLater =
        ticket.fencingToken === null ? ticket.endedAt > knownAt : ticket.fencingToken > grant.fencingToken;
      const isAhead = ticket.requester !== grant.requester && ticket.priority >= priorityOf(grant, later);
      if (!isStill || !isLater || !isAhead || isDisturbed(ticket.askedAt, knownAt)) continue;
      const isCancelled = cancels.some(
        (call) =>
          call.completedAt > ticket.askedAt &&
          call.invokedAt < knownAt &&
          (call.verb === 'reset' ||
            (call.verb === 'cancel' && call.request.some((one) => one.requester === ticket.requester))),
      );
      if (isCancelled) continue;
      const since = timeOf(ticket.queuedAt, history.startedAt);
      const what = `${nameOf(grant)} was granted at ${timeOf(knownAt, history.startedAt)} before ${ticket.requester}, which waited for it since ${since} and was there`;
      violations.push({ check: queue.name, what, calls: callsOf([grant], [...ticket.calls, ...(later?.calls ?? [])]) });
    }
  }
  return violations;
}

/** One who does not wait comes after all who do. */
const priorityOf = ({ call, requester }: Hold, ticket: Ticket | undefined): number => {
  if (ticket) return ticket.priority;
  const item = call.verb === 'reserve' ? call.request.find((one) => one.requester === requester) : undefined;
  return item?.waitSeconds ? (item.priority ?? 0) : -Infinity;
};

/** How long a name may be free while somebody waits for it: others look for those of an instance that is gone. */
const IDLE_MS = 4_000;

/** Finds times in which a stream says that nobody held a name for which somebody waited, far from any fault. */
function starved(tickets: readonly Ticket[], history: History): Violation[] {
  const [first] = tickets;
  if (!first) return [];
  const { tenant, resource } = first;
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
