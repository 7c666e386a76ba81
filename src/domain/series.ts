/**
 * Series of bookings (docs/specification.md#series): the occurrences of a booking that repeats, in the wall-clock time
 * of a zone.
 */
import { Temporal } from 'temporal-polyfill';
import { WEEKDAYS, type Weekday } from './bookings.ts';
import { spelled } from './timeZones.ts';

/** How a booking repeats. */
export interface Series {
  readonly every: 'day' | 'week';
  /** Default: the weekday of the start in the zone; with `day`, all. */
  readonly on?: readonly Weekday[] | undefined;
  /** The last day in the zone on which one may start: 2026-12-24. */
  readonly until: string;
  /** An IANA time zone, as isTimeZone() knows it. */
  readonly timeZone: string;
}

/** Times in s since 1970, UTC. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
}

const DAY_MS = 86_400_000;
/**
 * Lists the occurrences of a booking in order. Start and end have the same wall-clock times in each: a time that the
 * clocks skip moves on by the gap, and of one that comes twice the first counts.
 * @param start of the booking, in s since 1970, UTC. If its weekday is not one of the series, the first occurrence is
 * on the next day that is
 * @param end the same
 * @param most how many are wanted: if there are more, it returns one more than that, and leaves out the others
 * @throws RangeError if there is no such time zone
 */
export function occurrences(start: number, end: number, series: Series, most: number): Occurrence[] {
  const zone = spelled(series.timeZone);
  const [from, to] = [wallClock(start, zone), wallClock(end, zone)];
  const first = from.toPlainDate();
  const lengthDays = first.until(to.toPlainDate()).days;
  const weekdays = weekdaysOf(series, first.dayOfWeek);
  const lastDay = Date.parse(series.until) / DAY_MS;
  const found: Occurrence[] = [];
  let day = Date.UTC(first.year, first.month - 1, first.day) / DAY_MS;
  for (; day <= lastDay && found.length <= most; day++)
    if (weekdays.has(weekdayOf(day)))
      found.push({
        start: instant(day, from.toPlainTime(), zone),
        end: instant(day + lengthDays, to.toPlainTime(), zone),
      });
  return found;
}

const wallClock = (seconds: number, zone: string): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime();

/** @param day since 1970. The first of them was a Thursday @returns 1 Monday to 7 Sunday */
const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

/** @param first the weekday of the start, 1 Monday to 7 Sunday */
function weekdaysOf({ every, on }: Series, first: number): ReadonlySet<number> {
  if (on !== undefined) return new Set(on.map((name) => WEEKDAYS.indexOf(name) + 1));
  return new Set(every === 'day' ? WEEKDAYS.map((_, i) => i + 1) : [first]);
}

/** @param day since 1970 @returns the time of that day in a zone, in s since 1970, UTC */
function instant(day: number, time: Temporal.PlainTime, timeZone: string): number {
  const date = Temporal.PlainDate.from(new Date(day * DAY_MS).toISOString().slice(0, 10));
  return (
    date.toPlainDateTime(time).toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds / 1000
  );
}
