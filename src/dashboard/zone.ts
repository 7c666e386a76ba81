/**
 * The time zone of the browser, which a script keeps in a cookie, for times that a form offers by the clock: `17:00`.
 */
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { DashboardEnv } from './env.ts';

const COOKIE = 'holdfast_zone';
export const UTC = 'UTC';
const DAY_MS = 86_400_000;

/** Returns an IANA time zone; UTC if the browser has named none. */
export function zoneOf(c: Context<DashboardEnv>): string {
  const name = getCookie(c, COOKIE) ?? UTC;
  try {
    return name.length > 64 ? UTC : clockOf(name).resolvedOptions().timeZone;
  } catch {
    return UTC;
  }
}

const clockOf = (zone: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });

/** The time that clocks in a zone show, as if it were UTC, in ms. */
export function shown(atMs: number, zone: string): number {
  const [, day, month, year, hour, minute, second] =
    /(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)/.exec(clockOf(zone).format(atMs)) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
}

/**
 * Returns when clocks in a zone show a full hour of today, or of a later day, in ms since 1970 UTC.
 * @param day 0: today
 */
export function atHour(hour: number, day: number, zone: string, nowMs: number): number {
  const local = shown(nowMs, zone);
  const wanted = local - (local % DAY_MS) + day * DAY_MS + hour * 3_600_000;
  // The offset of then may be another one than that of now.
  const guess = wanted - (local - nowMs);
  return Math.round((guess + wanted - shown(guess, zone)) / 60_000) * 60_000;
}
