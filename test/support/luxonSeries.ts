/** Compares random series with what Luxon makes of them. */
import { DateTime } from 'luxon';
import { WEEKDAYS } from '../../src/domain/bookings.ts';
import { occurrences, type Series } from '../../src/domain/series.ts';

/** Daylight saving time of an hour on both halves of the earth, of half an hour, at midnight, negative, and none. */
const ZONES = [
  ...['Europe/Berlin', 'America/New_York', 'Australia/Sydney', 'Australia/Lord_Howe', 'America/Santiago'],
  ...['Africa/Casablanca', 'Europe/Dublin', 'Africa/Cairo', 'Asia/Kolkata', 'Pacific/Chatham', 'UTC'],
];
const MOST = 2;
const FIRST_S = Date.UTC(2026, 0, 1) / 1000;
const TEN_YEARS_S = 10 * 365.25 * 86_400;

/** Numbers from 0 to 1 that follow from a seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function makeSeries(random: () => number): { start: number; end: number; series: Series } {
  const below = (limit: number) => Math.floor(random() * limit);
  const timeZone = ZONES[below(ZONES.length)] ?? 'UTC';
  // Half of them start in the hours in which clocks change.
  const hour = random() < 0.5 ? below(4) : below(24);
  const day = DateTime.fromSeconds(FIRST_S + below(TEN_YEARS_S), { zone: timeZone });
  const start = Math.floor(day.set({ hour, minute: 15 * below(4), second: 0, millisecond: 0 }).toSeconds());
  const on = random() < 0.4 ? WEEKDAYS.filter(() => random() < 0.4) : [];
  const until = day.plus({ days: below(20) }).toISODate() ?? '';
  return {
    start,
    end: start + 60 * (1 + below(random() < 0.8 ? 600 : 44_640)),
    series: { every: random() < 0.5 ? 'day' : 'week', until, timeZone, ...(on.length > 0 && { on }) },
  };
}

/** The time of a day, in s: the earlier one of two. Luxon moves one that there is not on by the gap. */
function atTime(day: DateTime, clock: DateTime): number {
  const { hour, minute, second } = clock;
  const time = DateTime.fromObject(
    { year: day.year, month: day.month, day: day.day, hour, minute, second },
    { zone: clock.zone },
  );
  return Math.min(...time.getPossibleOffsets().map((one) => one.toSeconds()));
}

function expected(start: number, end: number, { every, on, until, timeZone }: Series) {
  const [from, to] = [DateTime.fromSeconds(start, { zone: timeZone }), DateTime.fromSeconds(end, { zone: timeZone })];
  // Days without a zone, so that none is left out.
  const dayOf = ({ year, month, day }: DateTime) => DateTime.utc(year, month, day);
  const length = dayOf(to).diff(dayOf(from), 'days').days;
  const weekdays = on?.map((name) => WEEKDAYS.indexOf(name) + 1) ?? (every === 'day' ? [] : [from.weekday]);
  const last = DateTime.fromISO(until, { zone: 'utc' });
  const found = [];
  for (let day = dayOf(from); day <= last; day = day.plus({ days: 1 })) {
    if (weekdays.length > 0 && !weekdays.includes(day.weekday)) continue;
    found.push({ start: atTime(day, from), end: atTime(day.plus({ days: length }), to) });
    if (found.length > MOST) break;
  }
  return found;
}

/** Compares so many random series over ten years. @returns those that differ, at most 3 */
export function compareSeries(seed: number, count: number): object[] {
  const random = randomFrom(seed);
  const different = [];
  for (let i = 0; i < count && different.length < 3; i++) {
    const { start, end, series } = makeSeries(random);
    const [ours, theirs] = [occurrences(start, end, series, MOST), expected(start, end, series)];
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) different.push({ start, end, series, ours, theirs });
  }
  return different;
}
