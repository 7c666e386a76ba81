/**
 * Reads the record of a held slot. lua/slots/codec.lua writes it and documents its forms.
 */
import { z } from 'zod';
import type { ActiveReservation } from '../../contract/reservations.ts';
import { ASKED_CONDITIONS } from '../../domain/conditions.ts';
import { DEFAULT_RESOURCE_TYPE } from '../../domain/names.ts';
import { MODES } from '../../domain/reservations.ts';
import { toTime } from '../../redis/reply.ts';
import { unpackToken } from './releaseToken.ts';

/** The details of a reservation besides its own slot (docs/specification.md#plans). */
type Details = Pick<ActiveReservation, 'acquiredSlots' | 'acquiredBlockers' | 'reservedAtPath' | 'slots' | 'mode'>;

/** A condition that keeps slots from users. */
export const Unready = z.enum(ASKED_CONDITIONS);

/** Extra fields of a reservation (lua/slots/codec.lua), each left out if it does not have it. */
const Extras = z.object({
  note: z.string().optional(),
  session: z.string().transform(unpackToken).optional(),
  /** The digest of the match by which it was made, and the resource that was picked. */
  match: z.tuple([z.string(), z.string()]).optional(),
  /** Time for which it waited, in ms. */
  waited: z.int().optional(),
  /** The condition that it asked for. */
  condition: Unready.optional(),
  /** The booking that it is the running time of. */
  booking: z.string().transform(unpackToken).optional(),
});

const HELD_ALONG = 1;
const PLAIN = 2;
const TOKEN_BYTES = 22;
/** `!`: what stands for the token of a grant that no caller has been told of begins with it, and no token does. */
const UNCLAIMED = 0x21;

/** A reservation as its record has it. Times are ms since 1970 UTC. */
export interface SlotRecord {
  readonly requester: string;
  /** '' for a resource's only slot */
  readonly pool: string;
  readonly fencingToken: number;
  readonly reservedAt: number;
  /** 0: it has no lease */
  readonly leaseEndsAt: number;
  /** True if it was granted to a caller that has not been told yet. */
  readonly isUnclaimed: boolean;
  /** '' for the default */
  readonly resourceType: string;
  /** '' if the key has none */
  readonly keyLabel: string;
  readonly requestedName: string;
  readonly details: DetailsText;
}

/** @returns null if the slot is not a reservation's own: plans of other reservations hold it */
export function readRecord(slot: string, record: Buffer): SlotRecord | null {
  let at = 1;
  const skip = (bytes: number) => {
    at += bytes;
  };
  const text = () => {
    // Most texts are short or empty, and a call into the runtime costs more than these steps.
    let end = at;
    while (end < record.length && record[end] !== 0) end++;
    const found = end === at ? '' : record.toString('utf8', at, end);
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
  const pool = form === PLAIN ? '' : text();
  if (form !== PLAIN) skip(1);
  const fencingToken = integer(7);
  const reservedAt = integer(6);
  const leaseEndsAt = integer(6);
  const isUnclaimed = record[at] === UNCLAIMED;
  skip(TOKEN_BYTES);
  const resourceType = text();
  const keyLabel = text();
  const requestedName = form === PLAIN ? slot : text();
  if (form !== PLAIN) text(); // the plan
  const details = parseText(form === PLAIN ? '' : text());
  // No spread: a list reads a million records.
  return {
    requester,
    pool,
    fencingToken,
    reservedAt,
    leaseEndsAt,
    isUnclaimed,
    resourceType,
    keyLabel,
    requestedName,
    details,
  };
}

/** Reads the requesters that a record names of a slot that is held SHARED; none for any other slot. */
export function readHolders(record: Buffer): string[] {
  if (record[0] !== HELD_ALONG) return [];
  // The number of holders, the owner, the pool and a flag come first.
  const ownerEnd = record.indexOf(0, 5);
  const poolEnd = record.indexOf(0, ownerEnd + 1);
  const [holders = ''] = record.toString('utf8', poolEnd + 2).split('\0', 1);
  return holders.split('\n').filter((holder) => holder !== '');
}

/**
 * @param sessionEndsAt ms: when the reservation's session ends, if it has one
 * @returns null if the slot is not a reservation's own: plans of other reservations hold it
 */
export function readReservation(slot: string, record: Buffer, sessionEndsAt?: number): ActiveReservation | null {
  const found = readRecord(slot, record);
  if (found === null) return null;
  const { details } = found;
  const expiresAt = sessionEndsAt ?? found.leaseEndsAt;
  return {
    resource: found.requestedName,
    requester: found.requester,
    resourceType: found.resourceType || DEFAULT_RESOURCE_TYPE,
    reservedAt: new Date(found.reservedAt).toISOString(),
    expiresAt: toTime(expiresAt),
    claimBy: found.isUnclaimed && sessionEndsAt === undefined ? toTime(expiresAt) : null,
    acquiredSlots: details.s ?? null,
    acquiredBlockers: details.b ?? null,
    reservedAtPath: details.p ?? null,
    fencingToken: found.fencingToken,
    apiKeyLabel: found.keyLabel || null,
    ...(details !== NO_DETAILS && toDetails(details)),
    ...(details.x && shownOf(details.x)),
  };
}

/** The extra fields that callers see. */
const shownOf = ({
  match: _,
  waited: __,
  ...shown
}: z.output<typeof Extras>): Pick<ActiveReservation, 'note' | 'session' | 'condition' | 'booking'> => shown;

/** Not z.record(), which leaves out a pool named `__proto__`. */
const Slots = z.custom<Record<string, string>>(
  (slots) =>
    typeof slots === 'object' && slots !== null && Object.values(slots).every((slot) => typeof slot === 'string'),
);

const DetailsText = z.object({
  x: Extras.optional(),
  s: Slots.optional(),
  b: z.array(z.string()).optional(),
  p: z.string().optional(),
  o: z.array(z.string()).optional(),
  m: z.enum(MODES).optional(),
});
type DetailsText = z.output<typeof DetailsText>;

/** Reads what describe() of lua/reservations/reserve.lua wrote. '' has no fields. */
const parseText = (text: string): DetailsText => (text === '' ? NO_DETAILS : DetailsText.parse(JSON.parse(text)));
const NO_DETAILS: DetailsText = {};

const toDetails = ({ s, b, p, o, m }: DetailsText): Details => ({
  acquiredSlots: s ?? null,
  acquiredBlockers: b ?? null,
  reservedAtPath: p ?? null,
  ...(m === undefined ? {} : { mode: m }),
  ...(o === undefined ? {} : { slots: o }),
});

/**
 * Reads the slots that a reservation got, from its details, '' as all null. If a match made it, also the resource that
 * was picked; and the booking that it is the running time of.
 */
export function parseDetails(text: string): {
  readonly details: Details;
  readonly picked?: string | undefined;
  readonly booking?: string | undefined;
} {
  if (text === '') return NOTHING_ELSE;
  const parsed = parseText(text);
  return { details: toDetails(parsed), picked: parsed.x?.match?.[1], booking: parsed.x?.booking };
}
const NOTHING_ELSE = { details: toDetails(NO_DETAILS) };
