/**
 * Checks that each stream tells a course of events that can have happened (docs/specification.md#the-stream): fencing
 * tokens rise, nothing is made twice without an end, and only what was made ends.
 */
import type { Check, Violation } from '../check.ts';
import type { History, StreamSeen } from '../history.ts';
import {
  type Change,
  callsByRequester,
  changesOf,
  limited,
  lossesOf,
  type Received,
  steadyNames,
  timeOf,
  toldAt,
} from './seen.ts';

export const eventsOrder: Check = {
  name: 'events-order',
  rule: 'Within one stream fencing tokens rise, no slot is RESERVED twice without an end, and only what was made ends.',
  run(history) {
    const rules = rulesOf(history);
    const violations: Violation[] = [];
    let looked = 0;
    for (const stream of history.streams) {
      looked += stream.events.length;
      violations.push(...faultsOf(stream, rules));
    }
    return { looked, violations: limited(violations) };
  },
};

function rulesOf(history: History) {
  const isSteady = steadyNames(history);
  const isLost = lossesOf(history);
  const callsOf = callsByRequester(history);
  const stepping = history.faults.filter(({ clockStepMs }) => clockStepMs !== 0);
  return {
    isSteady,
    isLost,
    startedAt: history.startedAt,
    callsOf,
    /** Tokens rise even over losses, except where the clock of Redis was moved as well. */
    mayFall: (from: number, by: number) =>
      isLost(from, by) &&
      stepping.some((one) => one.startedAt <= by && one.healedAt + Math.abs(one.clockStepMs) >= from),
  };
}
type Rules = ReturnType<typeof rulesOf>;

/** A reservation as a stream has told of it. */
interface Told {
  readonly received: Received;
  readonly change: Change;
}

function faultsOf(stream: StreamSeen, rules: Rules): Violation[] {
  const violations: Violation[] = [];
  const course = createCourse(stream, rules);
  for (const received of stream.events) {
    const changes = changesOf(received.event);
    if (received.event.type === 'RESET') course.reset(received);
    for (const change of changes) {
      const against = course.follow({ received, change });
      if (against === null) continue;
      const { kind, resource, requester } = change;
      const at = `at ${stream.at} of ${stream.tenant}, ${timeOf(received.receivedAt, rules.startedAt)}`;
      const calls = [requester, against.before?.change.requester ?? requester].flatMap((one) =>
        rules.callsOf(stream.tenant, one),
      );
      violations.push({
        check: eventsOrder.name,
        what: `${resource} of ${requester} was ${kind} although ${against.why} (stream ${at})`,
        calls: [...new Set(calls)].sort((a, b) => a.id - b.id),
      });
    }
  }
  return violations;
}

interface Against {
  readonly why: string;
  readonly before?: Told;
}

/** Follows one stream, and says what each change contradicts. */
function createCourse(stream: StreamSeen, rules: Rules) {
  const open = new Map<string, Told>();
  const ended = new Map<string, Told>();
  const slots = new Map<string, Told>();
  const expiring = new Map<string, Told>();
  let highest: Told | undefined;
  const keyOf = ({ requester, resource }: Change) => `${requester} ${resource}`;

  const isBefore = (one: Told | undefined, { received }: Told): one is Told =>
    one !== undefined && !rules.isLost(toldAt(one.received), received.receivedAt);

  const make = (told: Told): Against | null => {
    const { change } = told;
    const before = highest;
    highest = told;
    if (before && (change.token ?? 0) <= (before.change.token ?? 0) && change.token !== null)
      if (!rules.mayFall(toldAt(before.received), told.received.receivedAt))
        return { why: `its token ${change.token} is not above ${before.change.token} of the one before`, before };
    if (!rules.isSteady(stream.tenant, change.resource)) return null;
    const same = open.get(keyOf(change));
    open.set(keyOf(change), told);
    const holder = change.isShared ? undefined : change.slots.map((slot) => slots.get(slot)).find(Boolean);
    for (const slot of change.isShared ? [] : change.slots) slots.set(slot, told);
    if (isBefore(same, told)) return { why: 'it was made before and has not ended', before: same };
    if (isBefore(holder, told) && holder.change.requester !== change.requester)
      return { why: `${holder.change.requester} has ${holder.change.resource} and it has not ended`, before: holder };
    return null;
  };

  const end = (told: Told): Against | null => {
    const { change } = told;
    const found = open.get(keyOf(change)) ?? bySlot(change);
    const key = keyOf(found?.change ?? change);
    const before = ended.get(key);
    expiring.delete(key);
    open.delete(key);
    ended.set(key, told);
    for (const slot of found?.change.slots ?? []) if (slots.get(slot) === found) slots.delete(slot);
    if (!found && isBefore(before, told) && rules.isSteady(stream.tenant, change.resource))
      return { why: 'it had ended before and was not made again', before };
    return null;
  };

  /** A release may name the slot of what was reserved by another name. */
  const bySlot = ({ slots: names, requester }: Change) =>
    names.map((slot) => slots.get(slot)).find((one) => one?.change.requester === requester);

  const renew = (told: Told): Against | null => {
    const { change } = told;
    const key = keyOf(change);
    const now = open.get(key);
    const over = now ? undefined : ended.get(key);
    if (!rules.isSteady(stream.tenant, change.resource)) return null;
    if (isBefore(over, told)) return { why: 'it had ended before', before: over };
    if (isBefore(now, told) && now.change.token !== change.token)
      return { why: `its token ${change.token} is not ${now.change.token}, with which it was made`, before: now };
    return null;
  };

  return {
    reset(received: Received) {
      for (const told of open.values()) ended.set(keyOf(told.change), { ...told, received });
      for (const map of [open, slots, expiring]) map.clear();
    },
    follow(told: Told): Against | null {
      const { change } = told;
      const key = keyOf(change);
      const due = expiring.get(key);
      if (change.kind !== 'ended' && isBefore(due, told)) {
        expiring.delete(key);
        return { why: 'it had expired, and no UNRESERVED followed', before: due };
      }
      if (change.kind === 'made') return make(told);
      if (change.kind === 'ended') return end(told);
      if (change.kind === 'renewed') return renew(told);
      expiring.set(key, told);
      return null;
    },
  };
}
