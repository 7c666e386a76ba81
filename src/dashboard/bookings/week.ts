/**
 * The days of a resource with its bookings, and when a slot of it is free. No I/O and no markup. Times are ms since
 * 1970 UTC.
 */
import type { Stretch } from '../timeline/fit.ts';
import { atHour } from '../zone.ts';

export const DAYS = 7;
/** The last week that can be shown: bookings begin at most 366 days ahead. */
export const LAST_WEEK = 52;
/** When a free time is suggested that begins at midnight. */
const MORNING = 9;
/** Shorter times are not offered, in ms. */
const LEAST_MS = 60_000;
/** A time that is free now is suggested from the next quarter of an hour on: filling in the form takes time. */
const QUARTER_MS = 900_000;

/** A slot with the times for which it is booked or held. */
export type Taken = readonly Stretch[];

export interface FreeTime {
  readonly fromMs: number;
  readonly toMs: number;
  /** The start that a link to book it suggests. */
  readonly suggestedMs: number;
}

export interface Day<Booked> {
  readonly fromMs: number;
  readonly toMs: number;
  /** What is booked, and the times at which a slot is free, in order. */
  readonly entries: readonly ({ readonly booked: Booked } | { readonly free: FreeTime })[];
}

/**
 * When clocks in a zone show midnight at the start of each day, and at the end of the last one.
 * @param week 0: from today on
 */
export const daysFrom = (week: number, zone: string, nowMs: number): number[] =>
  Array.from({ length: DAYS + 1 }, (_, day) => atHour(0, week * DAYS + day, zone, nowMs));

/** The week that a time is in, from 0 to LAST_WEEK. */
export function weekAt(atMs: number, zone: string, nowMs: number): number {
  const weeks = Array.from({ length: LAST_WEEK }, (_, week) => atHour(0, (week + 1) * DAYS, zone, nowMs));
  return weeks.filter((endMs) => endMs <= atMs).length;
}

/**
 * @param bookings of the resource, in order of their start
 * @param slots its slots
 */
export function weekOf<Booked extends Stretch>(
  bookings: readonly Booked[],
  slots: readonly Taken[],
  week: number,
  zone: string,
  nowMs: number,
): Day<Booked>[] {
  const midnights = daysFrom(week, zone, nowMs);
  return midnights.slice(0, -1).map((fromMs, i) => {
    const toMs = midnights[i + 1] ?? fromMs;
    const morningMs = atHour(MORNING, week * DAYS + i, zone, nowMs);
    const booked = bookings.filter((one) => one.fromMs < toMs && one.toMs > fromMs);
    const soonMs = (Math.floor(nowMs / QUARTER_MS) + 1) * QUARTER_MS;
    const free = freeTimes(slots, Math.max(fromMs, nowMs), toMs).map((one): FreeTime => {
      const isWholeMorning = one.fromMs === fromMs && one.toMs > morningMs;
      const firstMs = one.fromMs <= nowMs && soonMs < one.toMs ? soonMs : one.fromMs;
      return { ...one, suggestedMs: isWholeMorning ? morningMs : firstMs };
    });
    const entries = [
      ...booked.map((one) => ({ atMs: one.fromMs, booked: one })),
      ...free.map((one) => ({ atMs: one.fromMs, free: one })),
    ];
    return { fromMs, toMs, entries: entries.sort((one, other) => one.atMs - other.atMs) };
  });
}

/** Returns the times between two moments at which at least one slot is free. */
export function freeTimes(slots: readonly Taken[], fromMs: number, toMs: number): Stretch[] {
  const free = slots
    .flatMap((taken) => gapsOf(taken, fromMs, toMs))
    .sort((one, other) => one.fromMs - other.fromMs || one.toMs - other.toMs);
  const all: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs: start, toMs: end } of free) {
    const last = all.at(-1);
    if (last !== undefined && start <= last.toMs) last.toMs = Math.max(last.toMs, end);
    else all.push({ fromMs: start, toMs: end });
  }
  return all;
}

function gapsOf(taken: Taken, fromMs: number, toMs: number): Stretch[] {
  const gaps: Stretch[] = [];
  let start = fromMs;
  for (const one of taken.toSorted((a, b) => a.fromMs - b.fromMs)) {
    gaps.push({ fromMs: start, toMs: Math.min(one.fromMs, toMs) });
    start = Math.max(start, one.toMs);
  }
  gaps.push({ fromMs: start, toMs });
  return gaps.filter((gap) => gap.toMs - gap.fromMs >= LEAST_MS);
}
