/**
 * Calls of /api/v1/Booking by a key, for tests of its rules.
 */
import type { Booking, BookResult, ChangedBooking } from '../../src/contract/bookings.ts';
import type { Answer, Client } from './client.ts';

export const BOOKING = '/api/v1/Booking';

export const bookingCalls = ({ request }: Pick<Client, 'request'>) => ({
  book: (bookings: unknown, more: object = {}, query = ''): Promise<Answer<BookResult>> =>
    request('POST', `${BOOKING}${query}`, { bookings, ...more }),
  list: (query = ''): Promise<Answer<Booking[]>> => request('GET', `${BOOKING}${query}`),
  change: (id: string, change: unknown): Promise<Answer<ChangedBooking>> =>
    request('PATCH', `${BOOKING}/${id}`, change),
  /** @param which an id, `series/<id>`, or `?resource=<name>` */
  cancel: (which: string): Promise<Answer<{ cancelled: number }>> =>
    request('DELETE', which.startsWith('?') ? BOOKING + which : `${BOOKING}/${which}`),
});
