/**
 * The facts of the timeline of a resource, and when those who wait can expect their turn, from what the service says of
 * it. No I/O.
 */
import type { Reason } from '../../contract/reservationFields.ts';
import type { WaitingRequest } from '../../contract/waiting.ts';
import type { Condition } from '../../domain/conditions.ts';
import type { PastEntry } from '../../domain/history.ts';
import { PATH_DELIMITER, SYSTEM_REQUESTER_PREFIX } from '../../domain/names.ts';
import type { Hold } from '../../engine/reservations/holders.ts';
import type { ResourceState } from '../../engine/reservations/resource.ts';
import type { ResourceState as RowState } from '../../engine/reservations/states.ts';
import { bookedOf, notReadyOf } from '../board/rows.ts';
import type { NameOf } from '../people.ts';
import { expectedTimes, type Ticket } from '../timeline/expected.ts';
import { leasesOf, MAX_LANES } from '../timeline/row.ts';
import type { Holding, RowFacts, Waiting } from '../timeline/rowFacts.ts';
import { CONDITION_WORDS } from '../words/conditionWords.ts';
import type { Details } from './resourceDetails.ts';

/** The number of slots; 0 for a group. */
export const capacityOf = ({ registered }: Pick<ResourceState, 'registered'>): number =>
  registered === null ? 1 : (registered.capacity ?? 0);

/** The number of a slot in its pool; 0 for the only one. */
const numberOf = (slot: string, pool: string): number =>
  slot.startsWith(`${pool}_`) ? Number(slot.slice(pool.length + 1)) || 0 : 0;

interface Wanted {
  readonly resources: readonly string[];
  readonly counts: readonly number[];
  readonly conditions?: readonly Condition[] | undefined;
}

/** The place of a resource in a request: by its name or its path; the first, if it is named otherwise. */
const placeIn = ({ resources }: Wanted, name: string): number =>
  Math.max(
    0,
    resources.findIndex((one) => one === name || one.endsWith(`${PATH_DELIMITER}${name}`)),
  );

/** How many slots of a resource a request asks for. */
export const countFor = (request: Wanted, name: string): number => request.counts[placeIn(request, name)] ?? 1;

/** The condition of the slots of a resource that a request asks for. */
export const conditionFor = (request: Wanted, name: string): Condition =>
  request.conditions?.[placeIn(request, name)] ?? 'ready';

/** The name of a hold: a resource that another one takes along has no holder of its own. */
const whoOf = ({ kind, holder, sharers }: Hold, nameOf: NameOf): string =>
  holder.startsWith(SYSTEM_REQUESTER_PREFIX)
    ? `with ${holder.slice(SYSTEM_REQUESTER_PREFIX.length)}`
    : kind === 'shared'
      ? `shared by ${sharers.map(nameOf).join(', ')}`
      : kind === 'along'
        ? `with one of ${nameOf(holder)}`
        : nameOf(holder);

/** Makes a bar of a hold of a slot. @param slot its number, from 0 */
export function holdingOf(hold: Hold, slot: number, nameOf: NameOf): Holding {
  const who = whoOf(hold, nameOf);
  return {
    slot,
    // What is taken along is in use by nobody.
    kind: who === 'You' ? 'mine' : hold.holder.startsWith(SYSTEM_REQUESTER_PREFIX) ? 'blocked' : 'held',
    who,
    note: hold.note,
    fromMs: hold.since === null ? null : Date.parse(hold.since),
    toMs: hold.until === null ? null : Date.parse(hold.until),
    isKept: hold.hasSession,
  };
}

export function factsOf({ name, state, past, inTheWay, nameOf, frame, bookings }: Details): RowFacts {
  const { held, free } = state;
  const capacity = capacityOf(state);
  const current = state.holds.map(({ slot, hold }) => holdingOf(hold, numberOf(slot, name), nameOf));
  const seen = capacity > MAX_LANES ? [] : past.filter(({ endedAt }) => endedAt > frame.fromMs);
  const before = seen.flatMap((entry) => pastHoldings(entry, name, nameOf));
  return {
    capacity,
    held,
    free,
    holdings: [...before, ...current],
    notReady: notReadyOf({ name, notReady: state.notReady }),
    waiting: state.queue.map(({ request }) => toWaiting(request, name, nameOf)),
    blocked: free > 0 && inTheWay !== null ? blockedBy(inTheWay) : undefined,
    bookings: bookedOf(bookings ?? [], { name }, nameOf),
  };
}

const pastHoldings = (
  { slots, requester, note, reservedAt, endedAt, ending }: PastEntry,
  name: string,
  nameOf: NameOf,
) =>
  reservedAt === null
    ? []
    : slots.map(
        (slot): Holding => ({
          slot: numberOf(slot, name),
          kind: 'past',
          who: ending === 'OUT_OF_SERVICE' ? CONDITION_WORDS.out : nameOf(requester),
          note: note ?? undefined,
          fromMs: reservedAt,
          toMs: endedAt,
        }),
      );

const toWaiting = (request: WaitingRequest, name: string, nameOf: NameOf): Waiting => ({
  who: nameOf(request.requester),
  note: request.note,
  ttlMs: request.ttlSeconds === null ? null : request.ttlSeconds * 1000,
  count: countFor(request, name),
  isApart: conditionFor(request, name) !== 'ready',
});

/** Until the last of those in the way ends. */
function blockedBy({ resource, holders }: Reason): RowFacts['blocked'] {
  const ends = holders.map(({ until }) => until);
  const last = ends.includes(null)
    ? null
    : ends
        .filter((end) => end !== null)
        .sort()
        .at(-1);
  return { by: resource, toMs: last == null ? null : Date.parse(last) };
}

/**
 * The facts of a resource of which a page reads only its state.
 * @param by the resource that may take it along, then as long as it is held itself
 */
export function factsOfState(
  { name, capacity, held, free, notReady, slots, queue }: RowState,
  nameOf: NameOf,
  by?: { readonly name: string; readonly hold: Hold | undefined },
): RowFacts {
  const times = (hold: Hold): Hold =>
    by?.hold !== undefined && hold.holder === `${SYSTEM_REQUESTER_PREFIX}${by.name}`
      ? { ...hold, since: by.hold.since, until: by.hold.until, hasSession: by.hold.hasSession }
      : hold;
  return {
    capacity: capacity ?? 1,
    held,
    free,
    notReady: notReadyOf({ name, notReady }),
    holdings: slots.flatMap(({ slot, hold }) =>
      hold === null ? [] : [holdingOf(times(hold), numberOf(slot, name), nameOf)],
    ),
    waiting: queue.map(({ requester, ttlMs, count, note }) => ({ who: nameOf(requester), ttlMs, count, note })),
  };
}

/**
 * When the turn of somebody in the queue is expected.
 * @param ahead how many are before them
 * @param own their request, if they are not in the queue yet
 * @returns ms since 1970 UTC; null: nobody knows
 */
export function expectedTurn(state: RowState, ahead: number, own?: Ticket): number | null {
  const facts = factsOfState(state, (requester) => requester);
  const tickets = own === undefined ? facts.waiting : [...facts.waiting.slice(0, ahead), own];
  return expectedTimes(leasesOf(facts), facts.capacity, tickets, Date.now())[ahead]?.startMs ?? null;
}

/**
 * When somebody who asks now for one slot can expect it.
 * @returns ms since 1970 UTC; null: nobody knows
 */
export function expectedForNext(facts: RowFacts, nowMs: number): number | null {
  const tickets = [...facts.waiting, { ttlMs: null, count: 1 }];
  return expectedTimes(leasesOf(facts), facts.capacity, tickets, nowMs).at(-1)?.startMs ?? null;
}
