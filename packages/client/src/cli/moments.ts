/**
 * Reads and writes times of the day as people do, in the time zone of the machine: `tomorrow 9:00`; and spans of time:
 * `42s`, `4m12s`, `3h5m`, `2d4h`.
 */
import { usageError } from './exitCodes.ts';
import { shown } from './nearest.ts';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const short = (weekday: string) => weekday.slice(0, 3);

/** A day, if there is one, and a time of the day. */
const WORDS = /^(?:(?<day>[a-z]+|\d{4}-\d\d-\d\d)[ T])?(?<hour>\d{1,2}):(?<minute>\d\d)$/i;
/** As programs write it. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Returns the time that a text means: with a zone as it is; else in the zone of the machine. Without a day, and with a
 * weekday, the first one after `after`.
 * @param option the option that has it
 * @throws ExitError of wrong use
 */
export function momentIn(text: string, option: string, after: Date, now = new Date()): Date {
  const moment = ISO.test(text) ? new Date(text) : inWords(text.trim(), after, now);
  if (moment !== undefined && !Number.isNaN(moment.getTime())) return moment;
  throw usageError(
    `--${option} is a time such as 'tomorrow 9:00', 'mon 9:00', 9:00 or '2026-11-24 9:00', not ${JSON.stringify(shown(text))}`,
  );
}

function inWords(text: string, after: Date, now: Date): Date | undefined {
  const { day, hour = '', minute = '' } = WORDS.exec(text)?.groups ?? {};
  if (hour === '' || Number(hour) > 23 || Number(minute) > 59) return undefined;
  const at = (from: Date, days: number) =>
    new Date(from.getFullYear(), from.getMonth(), from.getDate() + days, Number(hour), Number(minute));
  const first = (isDay: (time: Date) => boolean) =>
    Array.from({ length: WEEKDAYS.length + 1 }, (_, days) => at(after, days)).find(
      (time) => time > after && isDay(time),
    );
  if (day === undefined) return first(() => true);
  const word = day.toLowerCase();
  if (word === 'today' || word === 'tomorrow') return at(now, Number(word === 'tomorrow'));
  const weekday = WEEKDAYS.findIndex((name) => word === name || word === short(name));
  if (weekday >= 0) return first((time) => time.getDay() === weekday);
  return /^\d/.test(day) ? dated(day, at) : undefined;
}

/** @returns undefined if the calendar has no such day */
function dated(day: string, at: (from: Date, days: number) => Date): Date | undefined {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const from = new Date(year, month - 1, date);
  return from.getMonth() === month - 1 ? at(from, 0) : undefined;
}

const two = (number: number) => String(number).padStart(2, '0');

/** `tue 2026-11-24 09:00`, in the zone of the machine. */
export function dayAndTime(iso: string): string {
  const time = new Date(iso);
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  const weekday = short(WEEKDAYS[time.getDay()] ?? '');
  return `${weekday} ${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** The two largest units of a span in ms. */
export function span(ms: number): string {
  let seconds = Math.max(0, Math.round(ms / 1000));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const amount = Math.floor(seconds / size);
    seconds -= amount * size;
    if (amount > 0 || parts.length > 0) parts.push(amount > 0 ? `${amount}${unit}` : '');
  }
  return parts.slice(0, 2).join('') || '0s';
}

/** Returns the time since a moment. */
export const ago = (time: string): string => span(Date.now() - Date.parse(time));

/** Returns the time until the end of a lease. */
export const left = (time: string | null): string => (time === null ? 'never' : span(Date.parse(time) - Date.now()));
