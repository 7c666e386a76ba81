/**
 * Where a length of time fits between times that are taken. No I/O. Times are ms since 1970 UTC.
 */

/** A time that is taken. */
export interface Stretch {
  readonly fromMs: number;
  /** Infinity: it has no end */
  readonly toMs: number;
}

/**
 * Returns the first moment from which a length of time is not taken.
 * @param taken in any order; they may overlap
 * @param lengthMs Infinity: it has no end
 * @returns at least `fromMs`; Infinity: there is none
 */
export function nextFit(taken: readonly Stretch[], fromMs: number, lengthMs: number): number {
  let start = fromMs;
  for (const one of taken.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (one.toMs <= start) continue;
    if (start + lengthMs <= one.fromMs) return start;
    start = one.toMs;
  }
  return start;
}
