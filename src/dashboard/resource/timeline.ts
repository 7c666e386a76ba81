/**
 * Arranges who held which slot when, for a picture of it: a strip for each slot, in lanes if several hold it at once.
 * No I/O and no markup. Times are ms since 1970 UTC.
 */
import type { Ending, PastEntry } from '../../domain/history.ts';
import type { HeldSlot } from '../../engine/reservations/resource.ts';

/** A time for which a requester held a slot. */
export interface Span {
  readonly slot: string;
  readonly requester: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** How it ended; null: it has not. */
  readonly ending: Ending | null;
  /** Who ended it; null: nobody but its holder */
  readonly actor: string | null;
  readonly note: string | null;
}

/** What is drawn as one bar: a span, or several that are too short to be told apart. Places are 0 to 1. */
export interface Bar {
  readonly start: number;
  readonly end: number;
  readonly spans: readonly Span[];
}

export interface Strip {
  readonly slot: string;
  readonly lanes: readonly (readonly Bar[])[];
}

export interface Timeline {
  readonly fromMs: number;
  readonly nowMs: number;
  readonly strips: readonly Strip[];
  /** The number of slots that were held, and that have no strip. */
  readonly leftOut: number;
  /** All spans, the latest first. */
  readonly spans: readonly Span[];
}

const MAX_STRIPS = 20;
const MAX_LANES = 4;
/** The least width of a bar, as a share of the whole. */
const MIN_WIDTH = 1 / 360;

/** Returns the spans of ended reservations. Waits have none. */
export const pastSpans = (entries: readonly PastEntry[]): Span[] =>
  entries.flatMap(({ slots, requester, reservedAt, endedAt, ending, actor, note }) =>
    reservedAt === null
      ? []
      : slots.map((slot) => ({ slot, requester, fromMs: reservedAt, toMs: endedAt, ending, actor, note })),
  );

/** Returns the spans of slots that are held now. One that is only held along has none: nobody knows since when. */
export const currentSpans = (holds: readonly HeldSlot[], nowMs: number): Span[] =>
  holds.flatMap(({ slot, hold, shares }) =>
    [hold, ...shares].flatMap(({ holder, since, note = null }) =>
      since === null
        ? []
        : [{ slot, requester: holder, fromMs: Date.parse(since), toMs: nowMs, ending: null, actor: null, note }],
    ),
  );

/**
 * @param slots slots that have a strip even if nobody held them, as long as there is room
 * @param spans in any order
 */
export function timelineOf(
  slots: readonly string[],
  spans: readonly Span[],
  { fromMs, nowMs }: Pick<Timeline, 'fromMs' | 'nowMs'>,
): Timeline {
  const visible = spans
    .filter((span) => span.toMs > fromMs || span.ending === null)
    .sort((one, other) => other.fromMs - one.fromMs);
  const bySlot = new Map<string, Span[]>(slots.map((slot) => [slot, []]));
  for (const span of visible) bySlot.set(span.slot, [...(bySlot.get(span.slot) ?? []), span]);
  const drawn = busiest([...bySlot], fromMs);
  const held = [...bySlot.values()].filter((own) => own.length > 0).length;
  const heldAndDrawn = drawn.filter(([, own]) => own.length > 0).length;
  return {
    fromMs,
    nowMs,
    strips: drawn.map(([slot, own]) => ({ slot, lanes: lanesOf(own, fromMs, nowMs) })),
    leftOut: held - heldAndDrawn,
    spans: visible,
  };
}

/** Returns the slots that were held longest, in the order of their names. */
function busiest(slots: [string, Span[]][], fromMs: number): [string, Span[]][] {
  const timeOf = (spans: readonly Span[]) =>
    spans.reduce((sum, span) => sum + span.toMs - Math.max(fromMs, span.fromMs), 0);
  const kept =
    slots.length <= MAX_STRIPS
      ? slots
      : slots.toSorted(([, one], [, other]) => timeOf(other) - timeOf(one)).slice(0, MAX_STRIPS);
  return kept.toSorted(([one], [other]) => BY_NUMBER.compare(one, other));
}

/** Sorts `phone_2` before `phone_10`. */
const BY_NUMBER = new Intl.Collator('en', { numeric: true });

/** Puts spans that overlap into lanes of their own, and joins those that are too short to be told apart. */
function lanesOf(spans: readonly Span[], fromMs: number, nowMs: number): Bar[][] {
  const place = (ms: number) => Math.min(1, Math.max(0, (ms - fromMs) / (nowMs - fromMs)));
  const lanes: { endMs: number; bars: Bar[] }[] = [];
  for (const span of spans.toSorted((one, other) => one.fromMs - other.fromMs)) {
    let lane = lanes.find(({ endMs }) => endMs <= span.fromMs);
    if (lane === undefined && lanes.length < MAX_LANES) {
      lane = { endMs: 0, bars: [] };
      lanes.push(lane);
    }
    const isCrowded = lane === undefined;
    lane ??= lanes.reduce((one, other) => (other.endMs < one.endMs ? other : one));
    lane.endMs = Math.max(lane.endMs, span.toMs);
    addBar(lane.bars, { start: place(span.fromMs), end: place(span.toMs), spans: [span] }, isCrowded);
  }
  return lanes.map(({ bars }) => bars);
}

function addBar(bars: Bar[], bar: Bar, isCrowded: boolean): void {
  const last = bars.at(-1);
  const isShort = (one: Bar) => one.spans.length > 1 || one.end - one.start < MIN_WIDTH;
  const joins = last !== undefined && isShort(bar) && isShort(last) && bar.start - last.end < MIN_WIDTH;
  if (last === undefined || !(isCrowded || joins)) bars.push(bar);
  else
    bars[bars.length - 1] = {
      start: last.start,
      end: Math.max(last.end, bar.end),
      spans: [...last.spans, ...bar.spans],
    };
}

/** The times at which the axis has a mark: each third hour of a day, or midnights (UTC). */
export function ticksOf({ fromMs, nowMs }: Pick<Timeline, 'fromMs' | 'nowMs'>): number[] {
  const HOUR = 3_600_000;
  const step = nowMs - fromMs > 48 * HOUR ? 24 * HOUR : 3 * HOUR;
  const first = Math.ceil(fromMs / step) * step;
  return Array.from({ length: Math.max(0, Math.ceil((nowMs - first) / step)) }, (_, i) => first + i * step);
}
