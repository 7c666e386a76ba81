/**
 * Reads the record of a held slot. lua/lib/codec.lua writes it and documents its forms.
 */
import { z } from 'zod';
import type { ActiveReservation } from '../../contract/reservations.ts';
import { DEFAULT_RESOURCE_TYPE } from '../../domain/names.ts';
import { MODES } from '../../domain/reservations.ts';
import { toTime } from '../../redis/reply.ts';

/** What a reservation holds besides its own slot (docs/specification.md#plans). */
type Details = Pick<ActiveReservation, 'acquiredSlots' | 'acquiredBlockers' | 'reservedAtPath' | 'slots' | 'mode'>;

const HELD_ALONG = 1;
const PLAIN = 2;
const TOKEN_BYTES = 22;
/** Stands for the token of a grant that no caller has been told of. */
const UNCLAIMED = '!'.repeat(TOKEN_BYTES);

/** @returns null if the slot is not a reservation's own: plans of other reservations hold it */
export function readReservation(slot: string, record: Buffer): ActiveReservation | null {
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
  const requester = text();
  if (form !== PLAIN) {
    text(); // the pool
    skip(1);
  }
  const fencingToken = integer(7);
  const reservedAt = integer(6);
  const expiresAt = integer(6);
  const isUnclaimed = record.toString('latin1', at, at + TOKEN_BYTES) === UNCLAIMED;
  skip(TOKEN_BYTES);
  const resourceType = text();
  const keyLabel = text();
  const resource = form === PLAIN ? slot : text();
  if (form !== PLAIN) text(); // the plan
  return {
    resource,
    requester,
    resourceType: resourceType || DEFAULT_RESOURCE_TYPE,
    reservedAt: new Date(reservedAt).toISOString(),
    expiresAt: toTime(expiresAt),
    claimBy: isUnclaimed ? toTime(expiresAt) : null,
    ...parseDetails(form === PLAIN ? '' : text()),
    fencingToken,
    apiKeyLabel: keyLabel || null,
  };
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
  o: z.array(z.string()).optional(),
  m: z.enum(MODES).optional(),
});

/** Reads what describe() of lua/lib/reserveOne.lua wrote. '' reads as all null. */
export function parseDetails(text: string): Details {
  const { s, b, p, o, m } = text === '' ? {} : DetailsText.parse(JSON.parse(text));
  const several = o === undefined ? {} : { slots: o };
  const shared = m === undefined ? {} : { mode: m };
  return { acquiredSlots: s ?? null, acquiredBlockers: b ?? null, reservedAtPath: p ?? null, ...shared, ...several };
}
