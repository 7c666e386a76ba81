/**
 * The interface for making, changing and cancelling bookings, and how that is done without a database. With one:
 * bookingsInDatabase.ts.
 */
import type { BookResult, ChangedBooking } from '../contract/bookings.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import {
  book,
  cancelBookings,
  changeBooking,
  type NewBookings,
  type NewTimes,
  type Taken,
  type WhichBookings,
} from '../engine/bookings.ts';
import type { CallOptions } from '../engine/call.ts';
import type { Engine } from '../engine/engine.ts';

type BookOptions = Pick<CallOptions, 'idempotency' | 'isDry'>;

/** Throws the errors of engine/bookings.ts; with a database also HoldfastError unavailable: nothing was booked. */
export interface BookingChanges {
  book(credential: Credential, request: NewBookings, options?: BookOptions): Promise<Charged<BookResult>>;
  changeBooking(
    credential: Credential,
    id: string,
    change: NewTimes,
    idempotency?: Idempotency,
  ): Promise<Charged<ChangedBooking | null>>;
  cancelBookings(
    credential: Credential,
    which: WhichBookings,
    taken: Taken,
    idempotency?: Idempotency,
  ): Promise<Charged<number>>;
}

/** Without a database: in Redis alone. */
export const bookingsInRedis = (engine: Engine): BookingChanges => ({
  book: (credential, request, options) => book(engine, credential, request, options),
  changeBooking: (credential, id, change, idempotency) => changeBooking(engine, credential, id, change, idempotency),
  cancelBookings: (credential, which, taken, idempotency) =>
    cancelBookings(engine, credential, which, taken, idempotency),
});
