/**
 * Usage of resources, from what their history and their reservations say
 * (docs/specification.md#usage-of-resources). Times are ms since 1970 UTC; spans include their start, not their end.
 */

/** OUT_OF_SERVICE: a time for which a slot was out of service. */
export const ENTRY_KINDS = ['RESERVATION', 'WAIT', 'OUT_OF_SERVICE'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The fields of an ended reservation, wait, or time out of service that the figures need. */
interface Ended {
  readonly kind: EntryKind;
  readonly slots: readonly string[];
  /** null for a wait */
  readonly reservedAt: number | null;
  readonly endedAt: number;
  /** null: it did not wait */
  readonly waitedMs: number | null;
}

/** A span of time, in steps of equal length. The last one may be shorter. */
export interface Frame {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

/** Figures of the reservations that ended in a span. Means and percentiles are null if there is none. */
export interface PastFigures {
  /** Time for which slots were held within the span: of two slots that are held for 1 s, 2,000. */
  readonly heldMs: number;
  /** The same for the time for which slots were out of service. */
  readonly outMs: number;
  /** Reservations that were made within the span. */
  readonly reservations: number;
  /** Times for which those that ended within the span were held. */
  readonly meanHeldMs: number | null;
  readonly p95HeldMs: number | null;
  /** Times for which those that ended within the span had waited, of those that waited. */
  readonly meanWaitedMs: number | null;
  readonly p95WaitedMs: number | null;
}

export interface PastUsage {
  readonly total: PastFigures;
  /** One for each step. */
  readonly steps: readonly PastFigures[];
  /** Entries that were looked at. Without a database, one of more than 512 bytes counts as one for each 512. */
  readonly looked: number;
}

/** A reservation in force. */
export interface Held {
  readonly resource: string;
  readonly requester: string;
  readonly slots: number;
  readonly reservedAt: number;
  /** When its lease or session ends; null: never */
  readonly expiresAt: number | null;
}

/** Refusals of an hour. */
export interface HourOfRefusals {
  readonly startMs: number;
  readonly count: number;
}

/** The time and the number of present holds of a resource, or of a requester, as they count in a span. */
export interface HeldNow {
  readonly name: string;
  readonly heldMs: number;
  /** Made within the span. */
  readonly reservations: number;
}

export const stepsOf = ({ fromMs, toMs, stepMs }: Frame): number => Math.max(0, Math.ceil((toMs - fromMs) / stepMs));

/** The span of a step. */
export const stepOf = ({ fromMs, toMs, stepMs }: Frame, index: number) => ({
  fromMs: fromMs + index * stepMs,
  toMs: Math.min(toMs, fromMs + (index + 1) * stepMs),
});

/** Works out the figures of ended reservations, in any order. Waits that came to nothing do not count. */
export function usageOf(entries: Iterable<Ended>, frame: Frame): PastUsage {
  const total = new Tally();
  const steps = Array.from({ length: stepsOf(frame) }, () => new Tally());
  const out = new TimesOut(frame);
  let looked = 0;
  for (const { kind, reservedAt, endedAt, slots, waitedMs } of entries) {
    looked++;
    if (reservedAt === null) continue;
    if (kind === 'OUT_OF_SERVICE') {
      out.add({ slots: slots.length, fromMs: reservedAt, toMs: endedAt });
      continue;
    }
    for (const tally of [total, steps[indexOf(frame, endedAt)]]) {
      if (!isWithin(frame, endedAt)) break;
      tally?.held.push(endedAt - reservedAt);
      if (waitedMs !== null) tally?.waited.push(waitedMs);
    }
    addHold(frame, { slots: slots.length, fromMs: reservedAt, toMs: endedAt }, total, steps);
  }
  addThroughout(frame, steps);
  const [outMs, outOfSteps] = out.sums();
  return { total: total.figures(outMs), steps: steps.map((tally, i) => tally.figures(outOfSteps[i])), looked };
}

/**
 * Adds reservations in force, as far as they have lasted until the end of the frame or now.
 * @param outSince since when slots have been out of service that are so now, in ms since 1970 UTC
 */
export function withHeld(
  past: PastUsage,
  holds: readonly Held[],
  frame: Frame,
  nowMs: number,
  outSince: readonly number[] = [],
): PastUsage {
  const total = new Tally();
  const steps = past.steps.map(() => new Tally());
  for (const { slots, reservedAt, expiresAt } of holds)
    addHold(frame, { slots, fromMs: reservedAt, toMs: Math.min(nowMs, expiresAt ?? nowMs) }, total, steps);
  addThroughout(frame, steps);
  const out = new TimesOut(frame);
  for (const fromMs of outSince) out.add({ slots: 1, fromMs, toMs: nowMs });
  const [outMs, outOfSteps] = out.sums();
  return {
    ...past,
    total: plus(past.total, total, outMs),
    steps: past.steps.map((figures, i) => plus(figures, steps[i] ?? new Tally(), outOfSteps[i])),
  };
}

/** Sums up reservations in force by their resources, or by their requesters. */
export function heldNow(
  by: 'resource' | 'requester',
  holds: Iterable<Held>,
  span: Omit<Frame, 'stepMs'>,
  nowMs: number,
): HeldNow[] {
  const frame = { ...span, stepMs: Math.max(1, span.toMs - span.fromMs) };
  const tallies = new Map<string, Tally>();
  for (const { [by]: name, slots, reservedAt, expiresAt } of holds) {
    const tally = tallies.get(name) ?? new Tally();
    tallies.set(name, tally);
    addHold(frame, { slots, fromMs: reservedAt, toMs: Math.min(nowMs, expiresAt ?? nowMs) }, tally, []);
  }
  return [...tallies].map(([name, { heldMs, reservations }]) => ({ name, heldMs, reservations }));
}

/**
 * The share of the time of all slots in which they were held, 0 to 1. SHARED holds of one slot may come to more: then
 * 1.
 * @param capacity the number of slots
 * @param outMs the time for which slots were out of service, which does not count
 */
export const shareOf = (heldMs: number, capacity: number, spanMs: number, outMs = 0): number =>
  spanMs <= 0 ? 0 : Math.min(1, heldMs / Math.max(1, capacity * spanMs - outMs));

/** The least of the values that is at least as large as 95 of 100 of them; null: there is none. */
export function p95Of(values: readonly number[]): number | null {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? null;
}

export const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

class Tally {
  heldMs = 0;
  reservations = 0;
  /** Slots that are held throughout steps: of those from this step on, less those that end before it. */
  throughout = 0;
  readonly held: number[] = [];
  readonly waited: number[] = [];

  figures(outMs = 0): PastFigures {
    const { heldMs, reservations, held, waited } = this;
    const ofHeld = { meanHeldMs: meanOf(held), p95HeldMs: p95Of(held) };
    return { heldMs, outMs, reservations, ...ofHeld, meanWaitedMs: meanOf(waited), p95WaitedMs: p95Of(waited) };
  }
}

/** The times for which slots are out of service, in a frame and in each of its steps. */
class TimesOut {
  readonly #frame: Frame;
  readonly #total = new Tally();
  /** Made when a slot is out of service: few are. */
  #steps: readonly Tally[] = [];

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  add(time: Hold): void {
    if (this.#steps.length === 0) this.#steps = Array.from({ length: stepsOf(this.#frame) }, () => new Tally());
    addHold(this.#frame, time, this.#total, this.#steps);
  }

  /** Returns the sum, and that of each step. To be called once. */
  sums(): readonly [number, readonly number[]] {
    addThroughout(this.#frame, this.#steps);
    return [this.#total.heldMs, this.#steps.map(({ heldMs }) => heldMs)];
  }
}

const plus = (
  figures: PastFigures,
  { heldMs, reservations }: Pick<Tally, 'heldMs' | 'reservations'>,
  outMs = 0,
): PastFigures => ({
  ...figures,
  heldMs: figures.heldMs + heldMs,
  outMs: figures.outMs + outMs,
  reservations: figures.reservations + reservations,
});

const isWithin = ({ fromMs, toMs }: Omit<Frame, 'stepMs'>, at: number): boolean => at >= fromMs && at < toMs;

const indexOf = ({ fromMs, stepMs }: Frame, at: number): number => Math.floor((at - fromMs) / stepMs);

interface Hold {
  readonly slots: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Adds the time of a hold to the whole frame and to its first and its last step, and counts when it was made. Notes the
 * steps between them for addThroughout(): thousands of holds may each span hundreds of steps.
 */
function addHold(frame: Frame, { slots, fromMs, toMs }: Hold, total: Tally, steps: readonly Tally[]): void {
  if (isWithin(frame, fromMs)) {
    total.reservations++;
    const made = steps[indexOf(frame, fromMs)];
    if (made !== undefined) made.reservations++;
  }
  const [start, end] = [Math.max(fromMs, frame.fromMs), Math.min(toMs, frame.toMs)];
  if (start >= end) return;
  total.heldMs += slots * (end - start);
  const [first, last] = [indexOf(frame, start), indexOf(frame, end - 1)];
  for (const i of new Set([first, last])) {
    const step = stepOf(frame, i);
    const tally = steps[i];
    if (tally !== undefined) tally.heldMs += slots * (Math.min(end, step.toMs) - Math.max(start, step.fromMs));
  }
  const [second, ending] = [steps[first + 1], steps[last]];
  if (last <= first + 1 || second === undefined || ending === undefined) return;
  second.throughout += slots;
  ending.throughout -= slots;
}

/** Adds the time of the holds that last throughout steps. None lasts throughout the last step, which may be shorter. */
function addThroughout({ stepMs }: Frame, steps: readonly Tally[]): void {
  let slots = 0;
  for (const tally of steps) {
    slots += tally.throughout;
    tally.heldMs += slots * stepMs;
  }
}
