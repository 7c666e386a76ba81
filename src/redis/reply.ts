/**
 * Parses the replies of scripts. An unexpected reply is a bug and throws.
 */
export function parseReply(reply: unknown): unknown[] {
  // The plain way (lua/plain/plain.lua) joins the parts. No name has a control character.
  if (typeof reply === 'string') return reply.split('\r');
  if (!Array.isArray(reply)) throw new TypeError('a script returned no array');
  return reply[0] instanceof Buffer ? [reply[0].toString(), ...reply.slice(1)] : reply;
}

/** Splits an item of a reply into its parts (lua/reservations/texts.lua). */
export const parseItem = (item: unknown): string[] => toText(item).split('\n');

export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Buffer) return value.toString();
  throw new TypeError('a script returned no text where there should be one');
}

export function toInteger(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
    throw new TypeError('a script returned no integer where there should be one');
  }
  return number;
}

/** Parses milliseconds since 1970 UTC. */
export const toMs = toInteger;

/** Reads from when on something is booked, in ms since 1970; undefined or '': it is not, then no field. */
export const toBookedFrom = (ms: string | undefined): { bookedFrom?: string } =>
  ms ? { bookedFrom: new Date(toMs(ms)).toISOString() } : {};

/** The last time formatted: leases that begin in one call often end at the same time. */
let last = { ms: 0, text: '' };

/** Formats milliseconds since 1970 as ISO 8601 UTC; null for 0, which means never. */
export function toTime(ms: number): string | null {
  if (ms === 0) return null;
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}
