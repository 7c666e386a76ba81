/**
 * Bookings (docs/specification.md#bookings): makes, changes, cancels and lists them.
 */
import { z } from 'zod';
import type { BookedItem, Booking, BookingItem, BookResult, ChangedBooking, Conflict } from '../contract/bookings.ts';
import { BOOK_CALL_STATUSES, BOOK_STATUSES, CONFLICT_KINDS, MAX_BOOKING_SECONDS } from '../domain/bookings.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import { DEFAULT_RESOURCE_TYPE } from '../domain/names.ts';
import type { Charged } from '../domain/quota.ts';
import { textOfAsked, textOfMatch } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import { itemArgs, joined } from '../redis/layouts.ts';
import { parseItem, toInteger, toText, toTime } from '../redis/reply.ts';
import { type CallOptions, callCharged, callRead } from './call.ts';
import type { Page } from './definitions/list.ts';
import type { Engine } from './engine.ts';
import { newReleaseToken, newToken, packToken, unpackToken } from './reservations/releaseToken.ts';

/** An item of a request, or an occurrence of its series. Times are in s since 1970. */
export type EngineBooking = Omit<BookingItem, 'repeat'> & {
  /** The series that it belongs to, a UUID. */
  readonly series?: string | undefined;
};

export interface NewBookings {
  readonly bookings: readonly EngineBooking[];
  /** Whether those that conflict are left out, and the others are booked. */
  readonly skipConflicts: boolean;
}

/** What a booking that has not begun gets. Times are in s since 1970; the note null removes it. */
export interface NewTimes {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly note?: string | null | undefined;
}

/** The bookings to cancel: one; those of a series that start at or after `from` (s); or all of a resource. */
export type WhichBookings =
  | { readonly booking: string }
  | { readonly series: string; readonly from?: number | undefined }
  | { readonly resource: string };

/** Which bookings to list: those that overlap the time from `from` to `to`, in s since 1970. */
export interface BookingFilter {
  readonly resource?: string | undefined;
  readonly requester?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Requesters from whom a person has taken bookings, with a resource of these. */
export type Taken = Map<string, string>;

/**
 * Books slots for a time ahead (docs/specification.md#booking).
 * @param options its Idempotency-Key; whether it is a dry run, which the caller charges as reads
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused: too much work; LimitError
 */
export async function book(
  engine: Engine,
  credential: Credential,
  { bookings, skipConflicts }: NewBookings,
  options: Pick<CallOptions, 'idempotency' | 'isDry'> = {},
): Promise<Charged<BookResult>> {
  const args = [skipConflicts ? 1 : '', ...joined(bookings, argsOf)];
  const { result, ...charged } = await callCharged(engine, 'book', credential, () => args, options);
  const [status, ...replies] = result;
  const booked = replies.map((reply, i) => toBooked(bookings[i], parseItem(reply)));
  return { ...charged, result: { status: memberOf(BOOK_CALL_STATUSES, toText(status)), bookings: booked } };
}

const argsOf = (item: EngineBooking): (string | number)[] =>
  itemArgs('book', {
    resource: item.match ? textOfMatch(item.match) : (item.resource ?? ''),
    requester: item.requester,
    start: item.start,
    end: item.end,
    id: newToken(),
    token: newReleaseToken(),
    type: item.resourceType ?? '',
    claimWithin: item.claimWithinSeconds ?? '',
    series: item.series === undefined ? '' : packToken(item.series),
    options:
      item.note || item.match
        ? JSON.stringify({ ...(item.note && { note: item.note }), ...(item.match && { match: textOfAsked(item) }) })
        : '',
  });

function memberOf<One extends string>(all: readonly One[], text: string | undefined): One {
  const found = all.find((one) => one === text);
  if (found === undefined) throw new TypeError(`a script returned the unknown status ${text}`);
  return found;
}

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Reads an item of the reply of book (lua/verbs/bookings.lua). */
function toBooked(item: EngineBooking | undefined, reply: readonly string[]): BookedItem {
  const [status, explanation = '', id = '', resource = '', slot = '', start, end, series = '', ...conflict] = reply;
  return {
    booking: id === '' ? null : unpackToken(id),
    // That of a repeat with an Idempotency-Key is the series of the first try.
    ...(series !== '' && { series: unpackToken(series) }),
    status: memberOf(BOOK_STATUSES, status),
    explanation,
    ...conflictOf(conflict),
    resource,
    requester: item?.requester ?? '',
    slot: slot || null,
    start: isoOf(toInteger(start)),
    end: isoOf(toInteger(end)),
  };
}

function conflictOf([kind, slot = '', requester, from, until, note]: readonly string[]): { conflict?: Conflict } {
  if (kind === undefined) return {};
  return {
    conflict: {
      kind: memberOf(CONFLICT_KINDS, kind),
      slot,
      requester: requester || null,
      from: new Date(toInteger(from)).toISOString(),
      until: toTime(toInteger(until)),
      note: note || null,
    },
  };
}

/**
 * Changes a booking that has not begun, or leaves it as it is.
 * @param id a UUID
 * @returns null if there is no such booking
 * @throws HoldfastError unauthenticated, unavailable; forbidden, also for a booking of somebody else; LimitError
 */
export async function changeBooking(
  engine: Engine,
  credential: Credential,
  id: string,
  { start, end, note }: NewTimes,
  idempotency?: Idempotency,
): Promise<Charged<ChangedBooking | null>> {
  const args = [
    packToken(id),
    start ?? '',
    end ?? '',
    note === undefined ? '' : `=${note ?? ''}`,
    credential.subject ?? '',
  ];
  const { result, ...charged } = await callCharged(engine, 'changeBooking', credential, () => args, { idempotency });
  const [item, resets, record] = result;
  if (item === undefined) return { ...charged, result: null };
  const [status, explanation = '', , , , , , , ...conflict] = parseItem(item);
  const booking = toBooking(packToken(id), toText(record), toInteger(resets));
  if (booking === null) throw new TypeError('changeBooking returned a booking that is over');
  return {
    ...charged,
    result: { status: memberOf(BOOK_CALL_STATUSES, status), explanation, ...conflictOf(conflict), booking },
  };
}

/**
 * Cancels bookings, those that run too, in pieces: if one fails, those before it are cancelled.
 * @param taken gets what it takes from others, also if it fails; nothing if it is a repeat
 * @returns how many it has cancelled, 0 if there are none
 * @throws HoldfastError unauthenticated, unavailable; forbidden, also for a booking of somebody else; LimitError
 */
export async function cancelBookings(
  engine: Engine,
  credential: Credential,
  which: WhichBookings,
  taken: Taken,
  idempotency?: Idempotency,
): Promise<Charged<number>> {
  const args = [whatOf(which), ('from' in which ? which.from : undefined) ?? '', credential.subject ?? ''];
  let cursor = '';
  for (;;) {
    const { result, ...charged } = await callCharged(engine, 'cancelBookings', credential, () => [cursor, ...args], {
      idempotency,
      isContinuation: cursor !== '',
    });
    const [next, count, ...pairs] = result.map(String);
    if (!charged.isReplayed) for (let i = 0; i < pairs.length; i += 2) taken.set(pairs[i + 1] ?? '', pairs[i] ?? '');
    cursor = next ?? '';
    if (cursor === '') return { ...charged, result: toInteger(count) };
  }
}

function whatOf(which: WhichBookings): string {
  if ('booking' in which) return `b${packToken(which.booking)}`;
  return 'series' in which ? `e${packToken(which.series)}` : `r${which.resource}`;
}

/** Bookings that one call reads. */
const PAGE = 1000;

/**
 * Lists bookings, by their start. One that is there from the first page to the last is listed exactly once.
 * @param cost reads to charge with the first page
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError; also after the first page
 */
export async function* bookings(
  engine: Engine,
  credential: Credential,
  { resource, requester, from, to }: BookingFilter,
  cost = 0,
): AsyncGenerator<Page<Booking>> {
  const start = from === undefined ? '' : Math.max(0, from - MAX_BOOKING_SECONDS);
  const fromMs = (from ?? 0) * 1000;
  let cursor = '';
  let due = cost;
  do {
    const after = cursor;
    const { quota, result } = await callRead(engine, 'bookings', credential, due, () => [
      after,
      PAGE,
      resource ?? '',
      requester ?? '',
      start,
      to ?? '',
    ]);
    const [next, resets, total, ...rows] = result;
    const page = toBookings(rows, toInteger(resets)).filter(
      (one) => (requester === undefined || one.requester === requester) && Date.parse(one.end) > fromMs,
    );
    cursor = toText(next);
    due = 0;
    yield { total: toInteger(total), rows: page, isLast: cursor === '', quota };
  } while (cursor !== '');
}

const STATES = { b: 'BOOKED', d: 'DELAYED', r: 'RUNNING' } as const;

/** A record of the hash `bookings` (lua/bookings/records.lua). Times are in s, but bookedAt. */
const BookingRecord = z.object({
  resource: z.string(),
  slot: z.string(),
  requester: z.string(),
  start: z.int(),
  end: z.int(),
  state: z.enum(['b', 'd', 'r']),
  type: z.string(),
  label: z.string(),
  /** ms */
  bookedAt: z.int(),
  note: z.string().optional(),
  actor: z.string().optional(),
  claimWithin: z.int().optional(),
  claimed: z.boolean().optional(),
  series: z.string().optional(),
  /** Of a running one: the number of resets before. */
  resets: z.int().optional(),
});

/** Reads ids and records, without those that are over. */
function toBookings(rows: readonly unknown[], resets: number): Booking[] {
  const found: Booking[] = [];
  for (let i = 0; i < rows.length; i += 2) {
    const booking = toBooking(toText(rows[i]), toText(rows[i + 1]), resets);
    if (booking !== null) found.push(booking);
  }
  return found;
}

/** @returns null if it ran when there was a reset */
function toBooking(id: string, text: string, resets: number): Booking | null {
  const one = BookingRecord.parse(JSON.parse(text));
  if (one.state === 'r' && one.resets !== resets) return null;
  const mustClaim = one.claimWithin !== undefined;
  return {
    booking: unpackToken(id),
    ...(one.series !== undefined && { series: unpackToken(one.series) }),
    resource: one.resource,
    slot: one.slot,
    requester: one.requester,
    start: isoOf(one.start),
    end: isoOf(one.end),
    state: STATES[one.state],
    note: one.note ?? null,
    resourceType: one.type || DEFAULT_RESOURCE_TYPE,
    ...(mustClaim && { claimWithinSeconds: one.claimWithin }),
    ...(mustClaim && one.state === 'r' && { isClaimed: one.claimed ?? false }),
    bookedAt: new Date(one.bookedAt).toISOString(),
    bookedBy: one.actor ?? null,
    apiKeyLabel: one.label || null,
  };
}
