/**
 * The piece of time that timelines of a page show, and where times stand in it. No I/O and no markup. Times are ms
 * since 1970 UTC.
 */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
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
}

/** @param nowAt the share of the span that is past */
export function frameAt(timeMs: number, spanMs = BOARD_SPAN_MS, nowAt = NOW_AT): Frame {
  const nowMs = Math.floor(timeMs / STEP_MS) * STEP_MS;
  const fromMs = nowMs - nowAt * spanMs;
  return { fromMs, nowMs, toMs: fromMs + spanMs };
}

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
}

/** Room that the text of a mark takes at its right, and the text of now at both sides, in percent. */
const TEXT = 7;
const NOW_TEXT = 4;

/** The full hours of a frame; every second, third or sixth one if it is long. */
export function marksOf(frame: Frame): Mark[] {
  const { fromMs, nowMs, toMs } = frame;
  const hours = [1, 2, 3, 6, 24].find((step) => (toMs - fromMs) / (step * HOUR_MS) <= 10) ?? 24;
  const step = hours * HOUR_MS;
  const first = Math.ceil(fromMs / step) * step;
  const now = placeOf(frame, nowMs);
  return Array.from({ length: Math.max(0, Math.ceil((toMs - first) / step)) }, (_, i) => {
    const ms = first + i * step;
    const place = placeOf(frame, ms);
    const hidesNow = place + TEXT > now - NOW_TEXT && place < now + NOW_TEXT;
    return { ms, place, hasText: !hidesNow && place + TEXT <= 100 };
  });
}
