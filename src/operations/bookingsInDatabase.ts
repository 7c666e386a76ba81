/**
 * Makes, changes and cancels bookings with a database (docs/specification.md#where-bookings-live): Redis decides, and a
 * booking is written to the database before its request is answered.
 */
import { afterCharge, HoldfastError } from '../domain/errors.ts';
import type { Credential } from '../domain/tenants.ts';
import { takeBackBookings } from '../engine/bookingCopies.ts';
import type { Engine } from '../engine/engine.ts';
import { packToken } from '../engine/reservations/releaseToken.ts';
import { copyBookings, keepBookings } from '../store/bookingCopies.ts';
import type { Store } from '../store/records.ts';
import { type BookingChanges, bookingsInRedis } from './bookingChanges.ts';

export function bookingsInDatabase(engine: Engine, store: Store): BookingChanges {
  const inRedis = bookingsInRedis(engine);
  /** A change holds in any case. What cannot be copied now, the worker copies (jobs/jobs.ts). */
  const copy = ({ tenant }: Credential) => copyBookings(store, tenant).catch(() => {});
  return {
    book: async (credential, request, options = {}) => {
      const { tenant } = credential;
      if (options.isDry) return inRedis.book(credential, request, options);
      // While the database is away, Redis need not remember what was taken back.
      if (!(await store.database.isUp())) throw notWritten(undefined);
      const booked = await inRedis.book(credential, request, options);
      const ids = booked.result.bookings.flatMap(({ booking }) => (booking === null ? [] : [packToken(booking)]));
      if (ids.length === 0) return booked;
      return afterCharge(booked.quota, async () => {
        await keepBookings(store, tenant, ids).catch(async (cause: unknown) => {
          // A repeat may find what was confirmed before: the worker copies that.
          if (booked.isReplayed) throw new HoldfastError('unavailable', AWAY, { cause });
          await takeBackBookings(store.redis, tenant, ids, options.idempotency);
          throw notWritten(cause);
        });
        return booked;
      });
    },
    changeBooking: async (credential, ...change) => {
      const changed = await inRedis.changeBooking(credential, ...change);
      await copy(credential);
      return changed;
    },
    cancelBookings: async (credential, ...which) => {
      const cancelled = await inRedis.cancelBookings(credential, ...which);
      await copy(credential);
      return cancelled;
    },
  };
}

const AWAY = 'The database cannot be reached. Repeat the call.';

const notWritten = (cause: unknown) =>
  new HoldfastError('unavailable', 'The database could not take the booking, so nothing was booked. Repeat the call.', {
    cause,
  });
