/**
 * Puts together what a row of the Board shows: the state of a resource, what is in its way and until when, and its
 * timeline. No I/O.
 */
import type { Booking } from '../../contract/bookings.ts';
import type { PastEntry } from '../../domain/history.ts';
import type { Hold, SlotState } from '../../engine/reservations/holders.ts';
import type { NotReady } from '../../engine/reservations/slotConditions.ts';
import type { ResourceState } from '../../engine/reservations/states.ts';
import type { NameOf } from '../people.ts';
import type { Frame } from '../timeline/frame.ts';
import { type TimelineRow, timelineRow } from '../timeline/row.ts';
import type { Booked, Holding, NotReady as NotReadySlot } from '../timeline/rowFacts.ts';
import { CONDITION_WORDS, conditionText } from '../words/conditionWords.ts';
import { isStale } from './find.ts';
import type { Lab, LabNode } from './lab.ts';

/** The reason why nobody can take a resource that has a free slot. */
export interface Shut {
  /** The blocker or ancestor that is in use. */
  readonly by: string;
  /** The resource that takes it along; null: it is held itself */
  readonly along: string | null;
  /** null: nobody knows */
  readonly untilMs: number | null;
  /** The condition of what is in the way, if it is not held. */
  readonly condition: NotReady | null;
}

export interface BoardRow {
  readonly state: ResourceState;
  /** How far it stands below its group. */
  readonly level: number;
  readonly shut: Shut | null;
  readonly isBookable: boolean;
  /** From when on it is booked, if it is free now; in ISO 8601. null: as far as anybody knows, never */
  readonly bookedFrom: string | null;
  /** True if somebody should look at it. */
  readonly isStale: boolean;
  readonly timeline: TimelineRow;
}

export interface RowParts {
  readonly lab: Lab;
  readonly frame: Frame;
  readonly nameOf: NameOf;
  readonly isOwn: (requester: string) => boolean;
  /** Resource → what ended lately, the latest first. */
  readonly past: ReadonlyMap<string, readonly PastEntry[]>;
  /** Resource → its bookings in the time that the page shows. */
  readonly bookings: ReadonlyMap<string, readonly Booking[]>;
}

const SYSTEM = 'system:';

/** The resource that takes a slot along, as its blocker; null: none does */
export const takenAlongBy = ({ kind, holder }: Hold): string | null =>
  kind === 'along' && holder.startsWith(SYSTEM) ? holder.slice(SYSTEM.length) : null;

/** @param node null: it is not registered */
export function boardRow(state: ResourceState, node: LabNode | null, parts: RowParts): BoardRow {
  const { frame, nameOf } = parts;
  const shut = shutOf(state, parts);
  const holdings = [...pastOf(state, parts), ...state.slots.flatMap((slot) => holdingOf(slot, state, parts))];
  const waiting = state.queue.map(({ requester, ...rest }) => ({ ...rest, who: nameOf(requester) }));
  const { capacity, held, free } = state;
  const bookings = bookedOf(parts.bookings.get(state.name) ?? [], state, nameOf);
  const blocked = shut === null ? undefined : { by: shut.by, toMs: shut.untilMs };
  return {
    state,
    level: node?.level ?? 0,
    shut,
    isBookable: node?.isBookable === true,
    bookedFrom: node?.bookedFrom ?? null,
    isStale: holdings.some(({ kind }) => kind === 'look'),
    timeline: timelineRow(
      { capacity: capacity ?? 1, held, free, holdings, notReady: notReadyOf(state), waiting, blocked, bookings },
      frame,
    ),
  };
}

/** When the reservations of a resource end, if it has one that does. */
function endOf({ held }: Lab, name: string): number | null {
  const [only, ...others] = held.get(name) ?? [];
  return others.length > 0 ? null : (only?.untilMs ?? null);
}

function shutOf(state: ResourceState, { lab }: RowParts): Shut | null {
  const { capacity, free, fullAncestor, fullBecause, blockedBy } = state;
  if (capacity === null || free === 0) return null;
  if (blockedBy !== null) {
    const { name, hold, condition } = blockedBy;
    const along = hold === null ? null : (takenAlongBy(hold) ?? hold.resource);
    const untilMs = hold === null || hold.hasSession ? null : (timeOf(hold.until) ?? endOf(lab, along ?? ''));
    return { by: name, along: along === name || along === '' ? null : along, untilMs, condition };
  }
  if (fullAncestor === null) return null;
  const untilMs = fullBecause === null ? endOf(lab, fullAncestor) : null;
  return { by: fullAncestor, along: null, untilMs, condition: fullBecause };
}

const timeOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

/** The number of a slot of a pool; 0 for the only slot of a resource. */
const numberOf = (slot: string, { name }: Pick<ResourceState, 'name'>): number =>
  slot.startsWith(`${name}_`) ? Number(slot.slice(name.length + 1)) : 0;

/** The bookings of a resource, as its timeline has them. One that has begun is a reservation. */
export const bookedOf = (all: readonly Booking[], of: Pick<ResourceState, 'name'>, nameOf: NameOf): Booked[] =>
  all
    .filter(({ state }) => state !== 'RUNNING')
    .map(({ slot, requester, note, start, end }) => ({
      slot: numberOf(slot, of),
      who: nameOf(requester),
      note: note ?? undefined,
      fromMs: Date.parse(start),
      toMs: Date.parse(end),
    }));

/** The slots of a resource that are not ready, as its timeline has them. */
export const notReadyOf = (state: Pick<ResourceState, 'name' | 'notReady'>): NotReadySlot[] =>
  state.notReady.map((one) => ({
    slot: numberOf(one.slot, state),
    kind: one.condition,
    text: conditionText(one),
    fromMs: timeOf(one.since),
  }));

function holdingOf({ slot, hold }: SlotState, state: ResourceState, parts: RowParts): Holding[] {
  if (hold === null) return [];
  const { lab, frame, nameOf, isOwn } = parts;
  const { kind, holder, sharers, since, until, hasSession, isUnclaimed, note } = hold;
  const along = takenAlongBy(hold);
  const times = { sinceMs: timeOf(since) ?? frame.nowMs, untilMs: timeOf(until), hasSession };
  const stale = kind === 'own' && isStale(times, state.waiting, frame.nowMs);
  const who = along !== null ? `with ${along}` : kind === 'shared' ? sharers.map(nameOf).join(', ') : nameOf(holder);
  const isMine = [holder, ...sharers].some(isOwn);
  const toMs = along === null ? times.untilMs : endOf(lab, along);
  return [
    {
      slot: numberOf(slot, state),
      kind: stale ? 'look' : isMine ? 'mine' : 'held',
      who: isUnclaimed ? `${who}, not taken yet` : stale ? `${who} · no end` : who,
      note,
      fromMs: times.sinceMs,
      toMs,
      // A grant that nobody has taken yet goes on if somebody takes it.
      isKept: hasSession || isUnclaimed || (kind !== 'own' && toMs === null),
    },
  ];
}

const pastOf = (state: ResourceState, { past, nameOf }: RowParts): Holding[] =>
  (past.get(state.name) ?? []).toReversed().flatMap(({ slots, requester, note, reservedAt, endedAt, ending }) =>
    slots.map((slot) => ({
      slot: numberOf(slot, state),
      kind: 'past' as const,
      who: ending === 'OUT_OF_SERVICE' ? CONDITION_WORDS.out : nameOf(requester),
      note: note ?? undefined,
      fromMs: reservedAt,
      toMs: endedAt,
    })),
  );
