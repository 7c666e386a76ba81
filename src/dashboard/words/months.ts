/**
 * Months in UTC, for exports and reports.
 */
/** The page of the report. */
export const REPORT = '/dashboard/activity/report';

export interface Month {
  /** `2026-10` */
  readonly month: string;
  /** `October 2026` */
  readonly name: string;
  /** Its first day, and the one after its last. */
  readonly from: string;
  readonly to: string;
}

const NAME = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** @param index the number of months before or after January 1970 */
function monthAt(index: number): Month {
  const first = (months: number) => new Date(Date.UTC(1970, months)).toISOString().slice(0, 10);
  const from = first(index);
  return { month: from.slice(0, 7), name: NAME.format(new Date(from)), from, to: first(index + 1) };
}

const indexOf = (at: Date): number => (at.getUTCFullYear() - 1970) * 12 + at.getUTCMonth();

/** @param month `2026-10` */
export const monthOf = (month: string): Month => monthAt(indexOf(new Date(month)));
export const monthBefore = (at: Date): Month => monthAt(indexOf(at) - 1);
export const monthAfter = (at: Date): Month => monthAt(indexOf(at) + 1);
