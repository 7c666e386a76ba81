/**
 * The piece of time that timelines of a page show, and where times stand in it. No I/O and no markup. Times are ms
 * since 1970 UTC.
 */
import { atHour, UTC } from '../zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Now stands still for so long, so that a page whose state is the same is the same. */
const STEP_MS = 30_000;

/** The share of a timeline that is past. */
export const NOW_AT = 0.18;
/** How much time the Board shows. */
export const BOARD_SPAN_MS = 7.5 * HOUR_MS;

export interface Frame {
  readonly fromMs: number;
  readonly nowMs: number;
  readonly toMs: number;
  /** In which its days and the times of bookings are. */
  readonly zone: string;
}

/**
 * A piece of time around now.
 * @param nowAt the share of the span that is past
 */
export function frameAt(timeMs: number, zone = UTC, spanMs = BOARD_SPAN_MS, nowAt = NOW_AT): Frame {
  const nowMs = Math.floor(timeMs / STEP_MS) * STEP_MS;
  const fromMs = nowMs - nowAt * spanMs;
  return { fromMs, nowMs, toMs: fromMs + spanMs, zone };
}

const WEEK_DAYS = 7;

/** Seven days from midnight on. @param week 0: from today; 1: the seven days after these */
export function weekFrame(timeMs: number, zone: string, week: number): Frame {
  const nowMs = Math.floor(timeMs / STEP_MS) * STEP_MS;
  const midnight = (day: number) => atHour(0, day, zone, nowMs);
  return { fromMs: midnight(week * WEEK_DAYS), nowMs, toMs: midnight((week + 1) * WEEK_DAYS), zone };
}

/** True if its marks are days. */
export const isLong = ({ fromMs, toMs }: Frame): boolean => toMs - fromMs > 72 * HOUR_MS;

/** True if now is in it. */
export const hasNow = ({ fromMs, nowMs, toMs }: Frame): boolean => fromMs <= nowMs && nowMs < toMs;

/** Where a time stands: 0 at the left edge, 100 at the right one. Times outside stand at the edge. */
export function placeOf({ fromMs, toMs }: Frame, timeMs: number): number {
  const place = ((timeMs - fromMs) / (toMs - fromMs)) * 100;
  return Math.round(Math.min(100, Math.max(0, place)) * 100) / 100;
}

/** A mark of the axis. */
export interface Mark {
  readonly ms: number;
  readonly place: number;
  /** True if there is room for its time: not beside now, nor at an edge. */
  readonly hasText: boolean;
  /** True if its time would go on beyond the right edge. */
  readonly isLast: boolean;
}

/** Room that the text of a mark takes at its right, and the text of now at both sides, in percent of a narrow one. */
const TEXT = 9;
const NOW_TEXT = 5;

/** The full hours of a frame; every second, third or sixth one if it is longer, and the days of a long one. */
export function marksOf(frame: Frame): Mark[] {
  const now = placeOf(frame, frame.nowMs);
  return (isLong(frame) ? daysOf(frame) : hoursOf(frame)).map((ms) => {
    const place = placeOf(frame, ms);
    const hidesNow = hasNow(frame) && !isLong(frame) && place + TEXT > now - NOW_TEXT && place < now + NOW_TEXT;
    const isLast = place + TEXT > 100;
    return { ms, place, hasText: !hidesNow && !isLast, isLast };
  });
}

function hoursOf({ fromMs, toMs }: Frame): number[] {
  const hours = [1, 2, 3, 6].find((step) => (toMs - fromMs) / (step * HOUR_MS) <= 10) ?? 12;
  const step = hours * HOUR_MS;
  const first = Math.ceil(fromMs / step) * step;
  return Array.from({ length: Math.max(0, Math.ceil((toMs - first) / step)) }, (_, i) => first + i * step);
}

function daysOf({ fromMs, nowMs, toMs, zone }: Frame): number[] {
  const first = Math.floor((fromMs - nowMs) / DAY_MS);
  const days = Math.ceil((toMs - fromMs) / DAY_MS) + 2;
  return Array.from({ length: days }, (_, i) => atHour(0, first + i, zone, nowMs)).filter(
    (ms) => ms >= fromMs && ms < toMs,
  );
}
