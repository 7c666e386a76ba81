/**
 * The addresses of pages about bookings.
 */
import type { Booking } from '../../contract/bookings.ts';
import { fullMinute } from './form.ts';

export const BOOK = '/dashboard/book';
export const CHANGE = '/dashboard/booking/change';
export const CANCEL = '/dashboard/booking/cancel';
export const HERE = '/dashboard/booking/here';

/** The form that books. @param fields what it has already: `resource` or `match`, `from` and `to` in ms, and others */
export function bookPath(fields: Readonly<Record<string, string>>): string {
  // Without another page, forms lead back to the Board.
  const isSaid = ([name, value]: readonly [string, string]) =>
    value !== '' && (name !== 'back' || value !== '/dashboard');
  return `${BOOK}?${new URLSearchParams(Object.entries(fields).filter(isSaid))}`;
}

/** The form that books another resource like it for the same time, or what is left of it, in place of a booking. */
export const anotherPath = ({ booking, resource, requester, start, end, note }: Booking, back: string): string =>
  bookPath({
    from: String(Math.max(Date.parse(start), fullMinute(Date.now()))),
    to: String(Date.parse(end)),
    note: note ?? '',
    requester,
    instead: booking,
    insteadOf: resource,
    back,
  });

/** A page about one booking. */
export const bookingPath = (
  page: typeof CHANGE | typeof CANCEL,
  { booking, resource }: Pick<Booking, 'booking' | 'resource'>,
  back: string,
): string => `${page}?${new URLSearchParams({ booking, resource, back })}`;
