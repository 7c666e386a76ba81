/** Books slots for a time ahead (docs/specification.md#bookings). */
import { HoldfastError, unexpected, whyNotBooked } from './errors.ts';
import { itemOf } from './holds/plan.ts';
import { randomText } from './holds/requesters.ts';
import type { Api } from './http/api.ts';
import type { BookAllOptions, BookedItem, BookedSlot, Booking, BookResult, ChangeBookingOptions } from './types.ts';

type Outcome = Pick<BookedItem, 'status' | 'explanation' | 'conflict'>;

/**
 * Books a slot of each resource, all or none; with `repeat`, each as a series.
 * @param requester who books, if the options do not say it
 * @returns what was booked; with `skipConflicts`, also what was not
 * @throws HoldfastError CONFLICT, NOT_VALID: nothing was booked
 */
export async function bookAll(
  api: Api,
  resources: string | readonly string[],
  { start, end, note, repeat, skipConflicts, requester, ...options }: BookAllOptions & { readonly requester: string },
): Promise<BookedItem[]> {
  const times = { start: secondOf(start), end: secondOf(end) };
  const common = { requester, ...times, ...itemOf({ note, repeat }) };
  const body = {
    bookings: [resources].flat().map((resource) => ({ resource, ...common })),
    ...itemOf({ skipConflicts }),
  };
  const request = { ...options, method: 'POST' as const, path: '/Booking', body, has: 'bookings' };
  const { result } = await api.request<BookResult>({ ...request, idempotencyKey: randomText(26) });
  if (result.status === 'BOOKED') return result.bookings;
  const failed = result.bookings.find(({ status }) => status === result.status);
  throw new HoldfastError(result.status, failed ? `${failed.resource}: ${whyNotBooked(failed)}` : result.status);
}

/** The service takes whole seconds: the rest is cut off. */
const secondOf = (time: Date): string => new Date(Math.floor(time.getTime() / 1000) * 1000).toISOString();

/** Returns the booking of a request for one slot. @throws HoldfastError UNEXPECTED_RESPONSE */
export function slotOf([booked]: readonly BookedItem[]): BookedSlot {
  if (!booked?.booking || !booked.slot) throw unexpected();
  const { booking, slot } = booked;
  return { ...booked, booking, slot };
}

/**
 * Changes the times or the note of a booking that has not begun.
 * @returns the booking as it is now
 * @throws HoldfastError CONFLICT, NOT_VALID: it stays as it is; NOT_FOUND: there is none
 */
export async function changeBooking(
  api: Api,
  booking: string,
  { start, end, note, ...options }: ChangeBookingOptions,
): Promise<Booking> {
  const body = itemOf({ start: start && secondOf(start), end: end && secondOf(end), note });
  const path = `/Booking/${encodeURIComponent(booking)}`;
  const request = { ...options, method: 'PATCH' as const, path, body, has: 'booking' };
  const { result } = await api.request<Outcome & { booking: Booking }>({ ...request, idempotencyKey: randomText(26) });
  if (result.status === 'BOOKED') return result.booking;
  throw new HoldfastError(result.status, `${result.booking.resource}: ${whyNotBooked(result)}`);
}

/**
 * Cancels bookings.
 * @param path what to cancel, below `/Booking`
 * @returns how many have ended
 */
export async function cancelBookings(
  api: Api,
  path: string,
  { from, ...options }: { readonly from?: Date | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const query = { from: from?.toISOString() };
  const request = { ...options, method: 'DELETE' as const, path: `/Booking/${path}`, query, has: 'cancelled' };
  return (await api.request<{ cancelled: number }>(request)).result.cancelled;
}
