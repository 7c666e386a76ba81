/**
 * Reads the record of a held slot. lua/lib/codec.lua writes it and describes its forms.
 */
import { z } from 'zod';

export interface SlotRecord {
  readonly owner: string;
  readonly fencingToken: number;
  /** ms since 1970 UTC */
  readonly reservedAt: number;
  /** ms since 1970 UTC; 0 never */
  readonly expiresAt: number;
  /** '' the default type */
  readonly resourceType: string;
  /** '' none */
  readonly keyLabel: string;
  /** The resource as the caller named it; null: by the slot's own name. */
  readonly requestedName: string | null;
  readonly details: Details;
}

/** The slots of a reservation as its requester sees them (docs/specification.md#plans). */
export interface Details {
  acquiredSlots: Record<string, string> | null;
  acquiredBlockers: string[] | null;
  reservedAtPath: string | null;
}

const HELD_ALONG = 1;
const PLAIN = 2;
const TOKEN_BYTES = 22;

/** @returns null if no reservation stands on the slot: it is only held along with others */
export function readRecord(record: Buffer): SlotRecord | null {
  let at = 1;
  const skip = (bytes: number) => {
    at += bytes;
  };
  const text = () => {
    const end = record.indexOf(0, at);
    const found = record.toString('utf8', at, end);
    at = end + 1;
    return found;
  };
  const integer = (bytes: number) => {
    // Buffers read at most 6 bytes at once.
    const high = bytes > 6 ? record.readUIntBE(at, bytes - 6) * 2 ** 48 : 0;
    at += bytes;
    return high + record.readUIntBE(at - Math.min(bytes, 6), Math.min(bytes, 6));
  };

  const form = record[0];
  if (form === HELD_ALONG) return null;
  if (form !== PLAIN) skip(4);
  const owner = text();
  if (form !== PLAIN) {
    text(); // the pool
    skip(1);
  }
  const fencingToken = integer(7);
  const reservedAt = integer(6);
  const expiresAt = integer(6);
  skip(TOKEN_BYTES);
  const resourceType = text();
  const keyLabel = text();
  const base = { owner, fencingToken, reservedAt, expiresAt, resourceType, keyLabel };
  if (form === PLAIN) return { ...base, requestedName: null, details: parseDetails('') };
  const requestedName = text();
  text(); // the plan
  return { ...base, requestedName, details: parseDetails(text()) };
}

/** Not z.record(), which leaves out a pool named `__proto__`. */
const Slots = z.custom<Record<string, string>>(
  (slots) =>
    typeof slots === 'object' && slots !== null && Object.values(slots).every((slot) => typeof slot === 'string'),
);

const DetailsText = z.object({
  s: Slots.optional(),
  b: z.array(z.string()).optional(),
  p: z.string().optional(),
});

/** Reads what describe() of lua/lib/reserveOne.lua wrote; '' none. */
export function parseDetails(text: string): Details {
  const { s, b, p } = text === '' ? {} : DetailsText.parse(JSON.parse(text));
  return { acquiredSlots: s ?? null, acquiredBlockers: b ?? null, reservedAtPath: p ?? null };
}
