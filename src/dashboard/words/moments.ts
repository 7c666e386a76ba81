/**
 * Times in sentences and buttons that a form or a page writes itself, in the zone of the browser; in UTC, which they
 * say, if that is not known (zone.ts).
 */

const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;

/** Makes writers of one kind of text, one for each time zone: a format takes far longer to make than to use. */
function writer(options: Intl.DateTimeFormatOptions): (ms: number, zone: string) => string {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (ms, zone) => {
    const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options });
    formats.set(zone, format);
    return format.format(ms);
  };
}

const writeDay = writer(DAY);
export const dayText = (ms: number, zone: string): string => writeDay(ms, zone).replace(',', '');
export const clockText = writer(TIME);

const zoneText = (zone: string) => (zone === 'UTC' ? ' UTC' : '');

/** `09:00` of today, else `Fri 27 Nov, 09:00`. */
export function momentText(ms: number, zone: string, nowMs: number): string {
  const isToday = dayText(ms, zone) === dayText(nowMs, zone);
  return `${isToday ? '' : `${dayText(ms, zone)}, `}${clockText(ms, zone)}${zoneText(zone)}`;
}

/** `09:00–11:00`, where something else says the day. */
export const hoursText = (fromMs: number, toMs: number, zone: string): string =>
  `${clockText(fromMs, zone)}–${clockText(toMs, zone)}${zoneText(zone)}`;

/** `Fri 27 Nov, 09:00–11:00`; with the day of the end if that is another one. */
export function rangeText(fromMs: number, toMs: number, zone: string): string {
  const [from, to] = [dayText(fromMs, zone), dayText(toMs, zone)];
  const end = `${from === to ? '' : `${to}, `}${clockText(toMs, zone)}`;
  return `${from}, ${clockText(fromMs, zone)}${from === to ? '–' : ' – '}${end}${zoneText(zone)}`;
}

/** A time of some days: `24 hours`, `7 days`. */
export const daysText = (days: number): string => (days === 1 ? '24 hours' : `${days} days`);
