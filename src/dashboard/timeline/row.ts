/**
 * Arranges what the timeline of one resource shows: what was, who holds it until when, then those who wait, each from
 * when it can expect its turn. A pool has a lane a slot, or, if it has more than MAX_LANES, an area. No I/O and no
 * markup. Times are ms since 1970 UTC.
 */
import { bookedBars, bookedText } from './booked.ts';
import { expectedTimes, type Lease } from './expected.ts';
import { type Frame, placeOf } from './frame.ts';
import type { Bar, Booked, Holding, NotReady, RowFacts } from './rowFacts.ts';

/** Slots that have a lane of their own. */
export const MAX_LANES = 12;

/** How many slots are held from one place to another, of a pool without lanes. */
export interface Step {
  readonly from: number;
  readonly to: number;
  readonly held: number;
}

export interface TimelineRow {
  readonly capacity: number;
  /** 0: it has only an area */
  readonly lanes: number;
  readonly bars: readonly Bar[];
  readonly area: readonly Step[];
  /** When each of those who wait can expect their turn; null: nobody knows */
  readonly expectedMs: readonly (number | null)[];
  /** The same in words, without times. */
  readonly text: string;
}

/** How far a bar goes whose end is up to a session. */
const KEPT_MS = 3_600_000;

export function timelineRow(facts: RowFacts, frame: Frame): TimelineRow {
  const { capacity, holdings, waiting } = facts;
  const current = holdings.filter(({ kind }) => kind !== 'past');
  const expected = expectedTimes(leasesOf(facts), capacity, waiting, frame.nowMs);
  const isArea = capacity > MAX_LANES;
  const ghosts = isArea ? [] : ghostsOf(facts, current, expected, frame);
  return {
    capacity,
    lanes: isArea ? 0 : Math.max(1, capacity),
    bars: isArea
      ? []
      : [
          ...freeBars(facts, current, frame),
          ...holdings.map((one) => barOf(one, frame)),
          ...notReadyBars(facts, frame),
          ...blockedBar(facts, frame),
          ...bookedBars(facts, frame),
          ...ghosts,
        ].filter(isSeen),
    area: capacity > 1 ? areaOf(current, facts, frame) : [],
    expectedMs: expected.map(({ startMs }) => startMs),
    text: textOf(facts, frame),
  };
}

/**
 * The leases that are in the way of those who wait, and then the free slots that are booked. Nobody knows when a slot
 * is ready again, nor when those of a large pool end that nobody looked at.
 */
export function leasesOf(facts: RowFacts): Lease[] {
  const { capacity, held, free = capacity - held, holdings, notReady = [], bookings = [] } = facts;
  const current = holdings.filter(({ kind }) => kind !== 'past');
  const isOut = new Set(notReady.map(({ slot }) => slot));
  const bookedOf = (slot: number) => bookings.filter((one) => one.slot === slot);
  const leases: Lease[] = [
    ...current.map(({ slot, toMs, isKept = false }) => ({
      endsAtMs: isKept || isOut.has(slot) ? null : toMs,
      booked: bookedOf(slot),
    })),
    ...freeOf(notReady, current).map(() => ({ endsAtMs: null })),
  ];
  const missing = Math.max(0, Math.max(held, capacity - free) - leases.length);
  if (missing > 0 || bookings.length === 0)
    return [...leases, ...Array.from({ length: missing }, () => ({ endsAtMs: null }))];
  return [
    ...leases,
    ...freeLanes(capacity, [...current, ...notReady]).map((slot) => ({ endsAtMs: 0, booked: bookedOf(slot) })),
  ];
}

/** The slots that are not ready and not held. */
function freeOf(notReady: readonly NotReady[], current: readonly Holding[]): NotReady[] {
  const held = new Set(current.map(({ slot }) => slot));
  return notReady.filter(({ slot }) => !held.has(slot));
}

/** A bar that is too narrow to be seen says nothing. */
const isSeen = ({ from, to }: Bar) => to - from >= 0.2;

function barOf({ slot, kind, who, note, fromMs, toMs, isKept = false }: Holding, frame: Frame): Bar {
  const endMs = isKept ? frame.nowMs + KEPT_MS : toMs;
  return {
    kind,
    lane: slot,
    from: placeOf(frame, fromMs ?? frame.fromMs),
    to: endMs === null ? 100 : placeOf(frame, endMs),
    isCutLeft: fromMs === null || fromMs < frame.fromMs,
    isCutRight: isKept || endMs === null || endMs > frame.toMs,
    fades: isKept,
    text: note === undefined ? who : `${who} · ${note}`,
  };
}

/**
 * The condition of a slot, after the reservation that holds it or held it last, in pieces around its bookings. The
 * widest piece has the text: a bar that lies over it would hide some of it.
 */
function notReadyBars({ holdings, notReady = [], bookings = [] }: RowFacts, frame: Frame): Bar[] {
  return notReady.flatMap(({ slot, kind, text, fromMs }): Bar[] => {
    const before = holdings.filter((one) => one.slot === slot);
    if (before.some(({ toMs, isKept }) => toMs === null || isKept)) return [];
    const startMs = Math.max(fromMs ?? frame.fromMs, ...before.map(({ toMs }) => toMs ?? 0));
    const start = placeOf(frame, startMs);
    const pieces = gapsOf(
      start,
      bookings.filter((one) => one.slot === slot && one.toMs > frame.nowMs),
      frame,
    );
    const widest = Math.max(...pieces.map(({ from, to }) => to - from));
    const named = pieces.find(({ from, to }) => to - from === widest);
    return pieces.map((piece) => ({
      kind,
      lane: slot,
      text: piece === named ? text : '',
      ...piece,
      isCutLeft: piece.from > start || startMs <= frame.fromMs,
      isCutRight: true,
      fades: false,
    }));
  });
}

/** The places from one on that no booking has. */
function gapsOf(start: number, bookings: readonly Booked[], frame: Frame): Pick<Bar, 'from' | 'to'>[] {
  const gaps: Pick<Bar, 'from' | 'to'>[] = [];
  let from = start;
  for (const { fromMs, toMs } of bookings.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const to = placeOf(frame, fromMs);
    if (to > from) gaps.push({ from, to });
    from = Math.max(from, placeOf(frame, toMs));
  }
  return [...gaps, ...(from < 100 ? [{ from, to: 100 }] : [])];
}

/** Of a pool, the slots that anybody can have. */
function freeBars({ capacity, blocked, notReady = [] }: RowFacts, current: readonly Holding[], frame: Frame): Bar[] {
  if (capacity < 2 || blocked !== undefined) return [];
  const edges = { from: placeOf(frame, frame.nowMs), to: 100, isCutLeft: false, isCutRight: true, fades: false };
  return freeLanes(capacity, [...current, ...notReady]).map((lane) => ({ kind: 'free', lane, text: 'free', ...edges }));
}

function freeLanes(capacity: number, taking: readonly { readonly slot: number }[]): number[] {
  const taken = new Set(taking.map(({ slot }) => slot));
  return Array.from({ length: capacity }, (_, slot) => slot).filter((slot) => !taken.has(slot));
}

function blockedBar({ blocked }: RowFacts, frame: Frame): Bar[] {
  if (blocked === undefined) return [];
  const { by, toMs } = blocked;
  const text = `needs ${by}`;
  const to = toMs === null ? 100 : placeOf(frame, toMs);
  const isCutRight = toMs === null || toMs > frame.toMs;
  const edges = { from: placeOf(frame, frame.nowMs), to, isCutLeft: false, isCutRight, fades: false };
  return [{ kind: 'blocked', lane: 0, text, ...edges }];
}

/** The bars of those who wait, each in the lanes of the slots that it can expect. */
function ghostsOf(
  { capacity, waiting, notReady = [] }: RowFacts,
  current: readonly Holding[],
  expected: ReturnType<typeof expectedTimes>,
  frame: Frame,
): Bar[] {
  const taken = [...current, ...freeOf(notReady, current)];
  const lanes = [...taken.map(({ slot }) => slot), ...freeLanes(capacity, taken)];
  return expected.flatMap(({ startMs, endMs, slots }, i) => {
    const one = waiting[i];
    if (startMs === null || one === undefined || startMs >= frame.toMs) return [];
    const text = `${i + 1} ${one.note === undefined ? one.who : `${one.who} · ${one.note}`}`;
    const place = { from: placeOf(frame, startMs), to: endMs === null ? 100 : placeOf(frame, endMs) };
    const edges = { isCutLeft: false, isCutRight: endMs === null || endMs > frame.toMs, fades: false };
    return slots.map((slot): Bar => ({ kind: 'waiting', lane: lanes[slot] ?? 0, text, ...place, ...edges }));
  });
}

/** How many slots are held or booked from now on, as far as the ends are known. */
function areaOf(current: readonly Holding[], { held, bookings = [] }: RowFacts, frame: Frame): Step[] {
  const changes = [
    ...current.flatMap(({ toMs, isKept }) => (toMs === null || isKept ? [] : [[toMs, -1] as const])),
    ...bookings.flatMap(({ fromMs, toMs }) => [[fromMs, 1] as const, [toMs, -1] as const]),
  ]
    .filter(([ms]) => ms < frame.toMs)
    .map(([ms, by]) => [Math.max(frame.nowMs, ms), by] as const)
    .sort(([one], [other]) => one - other);
  const steps: Step[] = [];
  let from = placeOf(frame, frame.nowMs);
  let count = held;
  for (const [ms, by] of [...changes, [frame.toMs, 0] as const]) {
    const to = placeOf(frame, ms);
    if (to > from) steps.push({ from, to, held: count });
    from = to;
    count += by;
  }
  return steps;
}

/** Names that the words of a row have. */
const MAX_NAMES = 5;
const namesOf = (all: readonly { readonly who: string }[]): string => {
  const names = [...new Set(all.map(({ who }) => who))];
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
};

const lowerFirst = (text: string | null): string | null =>
  text === null ? null : text.charAt(0).toLowerCase() + text.slice(1);

function textOf(facts: RowFacts, frame: Frame): string {
  const { capacity, holdings, waiting, blocked, notReady = [] } = facts;
  const past = holdings.filter(({ kind }) => kind === 'past').toReversed();
  const current = holdings.filter(({ kind }) => kind !== 'past');
  const out = capacity === 1 ? lowerFirst(notReady[0]?.text ?? null) : null;
  const now = blocked === undefined ? (out ?? 'free') : `needs ${blocked.by}`;
  const parts = [
    past.length > 0 && `Before: ${namesOf(past)}`,
    `Now: ${current.length > 0 ? namesOf(current) : now}`,
    current.length > 0 && out !== null && `After that: ${out}`,
    waiting.length > 0 && `Then: ${namesOf(waiting)}`,
    bookedText(facts, frame),
  ];
  return `${parts.filter((part) => part !== false).join('. ')}.`;
}
