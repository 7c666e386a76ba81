/**
 * Checks that two streams of a tenant which were open at the same time tell the same events in the same order
 * (docs/specification.md#the-stream).
 */
import type { Event } from '../../../src/contract/events.ts';
import type { Check, Violation } from '../check.ts';
import type { History, StreamSeen } from '../history.ts';
import { callsByRequester, limited, requestersIn, timeOf } from './seen.ts';

export const eventsAgree: Check = {
  name: 'events-agree',
  rule: 'Two streams of a tenant tell the same events in the same order while both are open.',
  run(history) {
    const violations: Violation[] = [];
    let looked = 0;
    const isStepped = history.faults.some(({ clockStepMs }) => clockStepMs !== 0);
    const streams = history.streams.filter(({ events }) => events.length > 0).map(readable);
    for (const [i, one] of streams.entries())
      for (const other of streams.slice(i + 1)) {
        if (one.seen.tenant !== other.seen.tenant || !overlap(one.seen, other.seen)) continue;
        looked++;
        const difference = differenceOf(one, other) ?? (isStepped ? null : missedBy(one, other));
        if (difference) violations.push(violationOf(history, one.seen, other.seen, difference));
      }
    return { looked, violations: limited(violations) };
  },
};

interface Readable {
  readonly seen: StreamSeen;
  readonly texts: readonly string[];
  /** Where each text stands. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

function readable(seen: StreamSeen): Readable {
  const texts = seen.events.map(({ event }) => textOf(event));
  const places = new Map<string, number[]>();
  for (const [at, text] of texts.entries()) {
    const found = places.get(text);
    if (found) found.push(at);
    else places.set(text, [at]);
  }
  return { seen, texts, places };
}

/** Returns the same text for equal events, whatever the order of their fields: two builds may write it differently. */
const textOf = ({ type, resource, requester, explanation, timestamp, fencingToken, changes, limitType }: Event) =>
  JSON.stringify([
    type,
    resource,
    requester,
    explanation,
    timestamp,
    fencingToken,
    limitType,
    changes?.map(({ resource: of, requester: by, explanation: told }) => [of, by, told]),
  ]);

const overlap = (a: StreamSeen, b: StreamSeen) => a.openedAt < b.endedAt && b.openedAt < a.endedAt;

interface Difference {
  /** The place in each of the two streams from which on they differ. */
  readonly at: number;
  readonly otherAt: number;
}

/** Both are windows of one course of events, so one of them begins within the other, and both go on the same. */
function differenceOf(one: Readable, other: Readable): Difference | null {
  const begins = [
    ...(other.places.get(one.texts[0] ?? '') ?? []).map((place) => ({ at: 0, otherAt: place })),
    ...(one.places.get(other.texts[0] ?? '') ?? []).map((place) => ({ at: place, otherAt: 0 })),
  ];
  // Two events may have the same text: of several beginnings the one that leads furthest is right.
  let best: Difference | null = null;
  for (const begin of begins) {
    const difference = walk(one, other, begin);
    if (difference === null) return null;
    if (best === null || difference.at - begin.at > best.at) best = difference;
  }
  return best ?? unshared(one, other);
}

function walk(one: Readable, other: Readable, { at, otherAt }: Difference): Difference | null {
  const length = Math.min(one.texts.length - at, other.texts.length - otherAt);
  for (let i = 0; i < length; i++)
    if (one.texts[at + i] !== other.texts[otherAt + i]) return { at: at + i, otherAt: otherAt + i };
  return null;
}

/** Neither begins within the other: right only if they were not both open when something happened. */
function unshared(one: Readable, other: Readable): Difference | null {
  const [first, second] = one.seen.openedAt <= other.seen.openedAt ? [one, other] : [other, one];
  const begin = second.texts.findIndex((text) => first.places.has(text));
  const shared = first.places.get(second.texts[begin] ?? '')?.[0];
  const last = first.seen.events.at(-1);
  const began = second.seen.events[0];
  // The first stream has told of something after the second one had told of its first event, and does not know it.
  const isMissing =
    last && began && last.receivedAt > began.receivedAt + LATE_MS && first.seen.openedAt < second.seen.openedAt;
  if (shared === undefined && !isMissing) return null;
  const place = shared === undefined ? first.seen.events.length - 1 : shared;
  return first === one ? { at: place, otherAt: 0 } : { at: 0, otherAt: place };
}

/** The fastest event of a stream takes less than this, in ms. */
const FASTEST_MS = 50;

/** Finds an event that one of two streams tells of before the first one of the other, which was open by then. */
function missedBy(one: Readable, other: Readable): Difference | null {
  const [first, second] = one.seen.openedAt <= other.seen.openedAt ? [one, other] : [other, one];
  const { openedAt } = second.seen;
  const place = first.places.get(second.texts[0] ?? '')?.[0] ?? 0;
  const before = first.seen.events[place - 1];
  if (!before) return null;
  // The clock of Redis, which timestamps are from, by the clock of the campaign.
  const ahead = Math.min(...first.seen.events.map(({ receivedAt, event }) => receivedAt - Date.parse(event.timestamp)));
  if (Date.parse(before.event.timestamp) + ahead - FASTEST_MS <= openedAt) return null;
  return first === one ? { at: place - 1, otherAt: 0 } : { at: 0, otherAt: place - 1 };
}

/** Time by which a stream may tell of an event later than another one. */
const LATE_MS = 30_000;

function violationOf(history: History, one: StreamSeen, other: StreamSeen, { at, otherAt }: Difference): Violation {
  const callsOf = callsByRequester(history);
  const told = (stream: StreamSeen, place: number) => {
    const received = stream.events[place];
    if (!received) return `stream ${stream.at} ends`;
    const { type, resource, requester } = received.event;
    return `stream ${stream.at} has ${type} ${resource ?? ''} ${requester ?? ''} (${timeOf(received.receivedAt, history.startedAt)})`;
  };
  const events = [one.events[at], other.events[otherAt]].flatMap((received) => (received ? [received.event] : []));
  const calls = events.flatMap(requestersIn).flatMap((requester) => callsOf(one.tenant, requester));
  return {
    check: eventsAgree.name,
    what: `two streams of ${one.tenant} differ: ${told(one, at)} where ${told(other, otherAt)}`,
    calls: [...new Set(calls)].sort((a, b) => a.id - b.id),
  };
}
