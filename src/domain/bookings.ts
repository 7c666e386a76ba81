/**
 * Bookings of a slot for a time ahead (docs/specification.md#bookings): their statuses and bounds.
 */

export const MIN_BOOKING_SECONDS = 60;
/** The longest booking by default, and the longest that the setting `maxBookingSeconds` may allow. */
export const DEFAULT_MAX_BOOKING_SECONDS = 86_400;
export const MAX_BOOKING_SECONDS = 31 * 86_400;
/** Future bookings of a requester, unless the setting `bookingsPerRequester` says otherwise. */
export const DEFAULT_BOOKINGS_PER_REQUESTER = 100;
/** The most that this setting may allow. */
export const MAX_BOOKINGS_PER_REQUESTER = 100_000;
/** Future bookings of a slot. */
export const MAX_BOOKINGS_OF_SLOT = 500;
/** Bookings of one call, the occurrences of series counted out. */
export const MAX_BOOKINGS_OF_CALL = 200;
export const MIN_CLAIM_WITHIN_SECONDS = 60;
export const MAX_CLAIM_WITHIN_SECONDS = 86_400;

/** Of one booking of a call. ROLLED_BACK: it would have been booked, and another one of the call was not. */
export const BOOK_STATUSES = ['BOOKED', 'CONFLICT', 'NOT_VALID', 'ROLLED_BACK'] as const;
/** Of a call, and of a change: those of its bookings, the worst one. */
export const BOOK_CALL_STATUSES = ['BOOKED', 'CONFLICT', 'NOT_VALID'] as const;

/** What is in the way of a booking: another one of the slot, or a hold of it. */
export const CONFLICT_KINDS = ['BOOKING', 'HOLD'] as const;

/** Of a booking: it has not begun; its requester has the slot; its time is running, and the slot could not be had. */
export const BOOKING_STATES = ['BOOKED', 'RUNNING', 'DELAYED'] as const;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];
