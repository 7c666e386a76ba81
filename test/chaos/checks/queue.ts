/**
 * Checks the order in which those who wait are served, that nothing is granted twice, and that nobody waits for a plain
 * name that is free (docs/specification.md#waiting-order).
 */
import type { Check, Violation } from '../check.ts';
import type { EndState, History, StreamSeen } from '../history.ts';
import { PLAIN } from '../things.ts';
import { asksOf, groupBy } from './outcomes.ts';
import { overtaken } from './overtaken.ts';
import { changesOf } from './seen.ts';
import { plainNameOf, type Ticket, ticketsOf } from './tickets.ts';
import { toldLate } from './toldLate.ts';
import { limited, timeOf } from './words.ts';

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

/** How long a name may be free while somebody waits for it: others look for those of an instance that is gone. */
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
