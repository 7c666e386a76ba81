/**
 * Bookings, from the request to the end of their time (docs/specification.md#bookings).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BookedItem, Booking } from '../../../src/contract/bookings.ts';
import type { ActiveReservation } from '../../../src/contract/reservations.ts';
import {
  type BookingFilter,
  bookings,
  book as bookWith,
  cancelBookings,
  changeBooking,
  type EngineBooking,
} from '../../../src/engine/bookings.ts';
import { active } from '../../../src/engine/reservations/active.ts';
import { registerBookable } from '../../support/bookable.ts';
import { setClock } from '../../support/clock.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { hotOf } from '../../support/hotRecord.ts';
import { all } from '../../support/listed.ts';
import { renew, reserve, reset, unreserve } from '../../support/verbs.ts';

// Ahead of the real clock, by which other tests' instances end leases.
const START = Date.UTC(2050, 0, 1);
const HOUR = 3600;

let running: RunningEngine;
beforeAll(async () => {
  running = await startEngine();
  await registerBookable(running, { phone: 1, pool: 3 });
});
afterAll(() => running.stop());
/** Each test has a day of its own: what others have left is over then. */
let day = START;
beforeEach(async () => {
  day += 30 * 86_400_000;
  await reset(running.engine, running.credential);
  await cancelBookings(running.engine, running.credential, { resource: 'phone' });
  await cancelBookings(running.engine, running.credential, { resource: 'pool' });
  await goTo(0);
});

const goTo = (seconds: number) => setClock(running.engine.redis, running.credential.tenant, day + seconds * 1000);
const isoAt = (seconds: number) => new Date(day + seconds * 1000).toISOString();
/** A booking from and to so many seconds after the start of the test. */
const item = (from: number, to: number, rest: Partial<EngineBooking> = {}): EngineBooking => ({
  resource: 'phone',
  requester: 'bo',
  start: day / 1000 + from,
  end: day / 1000 + to,
  ...rest,
});
const bookAll = async (items: readonly EngineBooking[], skipConflicts = false) =>
  (await bookWith(running.engine, running.credential, { bookings: items, skipConflicts })).result;
async function book(from: number, to: number, rest: Partial<EngineBooking> = {}): Promise<BookedItem> {
  const [booked] = (await bookAll([item(from, to, rest)])).bookings;
  if (booked === undefined) throw new Error('book returned nothing');
  return booked;
}
const list = (filter: BookingFilter = {}): Promise<Booking[]> =>
  all(bookings(running.engine, running.credential, filter));
const held = (): Promise<ActiveReservation[]> => all(active(running.engine, running.credential));
const cancel = async (booking: string | null) =>
  (await cancelBookings(running.engine, running.credential, { booking: booking ?? '' })).result.cancelled;

describe('a booking', () => {
  test('becomes a reservation of its slot at its start, with a lease until its end', async () => {
    const booked = await book(HOUR, 2 * HOUR, { note: 'demo' });
    expect(booked).toMatchObject({ status: 'BOOKED', slot: 'phone', resource: 'phone', start: isoAt(HOUR) });
    await goTo(HOUR - 1);
    expect(await held()).toEqual([]);
    await goTo(HOUR);
    expect(await held()).toMatchObject([
      { resource: 'phone', requester: 'bo', reservedAt: isoAt(HOUR), expiresAt: isoAt(2 * HOUR), note: 'demo' },
    ]);
    expect(await list()).toMatchObject([{ booking: booked.booking, state: 'RUNNING' }]);
    await goTo(2 * HOUR);
    expect(await held()).toEqual([]);
    expect(await list()).toEqual([]);
  });

  test('is listed with what was said, by resource, requester and time', async () => {
    const first = await book(HOUR, 2 * HOUR, { note: 'demo' });
    await book(3 * HOUR, 4 * HOUR, { requester: 'al', resource: 'pool' });
    expect(await list({ resource: 'phone' })).toEqual([
      {
        booking: first.booking,
        resource: 'phone',
        slot: 'phone',
        requester: 'bo',
        start: isoAt(HOUR),
        end: isoAt(2 * HOUR),
        state: 'BOOKED',
        note: 'demo',
        resourceType: 'UserDefined',
        bookedAt: isoAt(0),
        bookedBy: null,
        apiKeyLabel: null,
      },
    ]);
    expect(await list({ requester: 'al' })).toMatchObject([{ slot: 'pool_0' }]);
    const at = (seconds: number) => day / 1000 + seconds;
    expect(await list({ from: at(HOUR), to: at(3 * HOUR) })).toMatchObject([{ slot: 'phone' }]);
    expect(await list({ from: at(2 * HOUR) })).toMatchObject([{ slot: 'pool_0' }]);
    expect(await list()).toHaveLength(2);
  });

  test('that is cancelled never begins; one that runs is released', async () => {
    const { booking } = await book(HOUR, 2 * HOUR);
    const running_ = await book(2 * HOUR, 3 * HOUR);
    expect(await cancel(booking)).toBe(1);
    expect(await cancel(booking)).toBe(0);
    await goTo(HOUR);
    expect(await held()).toEqual([]);
    await goTo(2 * HOUR);
    expect(await held()).toHaveLength(1);
    expect(await cancel(running_.booking)).toBe(1);
    expect(await held()).toEqual([]);
    expect((await hotOf(running.engine.redis, running.credential.tenant)).flags & 512).toBe(0);
  });

  test('that conflicts with another one of the slot is refused, and says with which', async () => {
    await book(HOUR, 2 * HOUR, { note: 'demo' });
    expect(await book(2 * HOUR - 60, 3 * HOUR, { requester: 'al' })).toMatchObject({
      status: 'CONFLICT',
      booking: null,
      slot: null,
      conflict: {
        kind: 'BOOKING',
        slot: 'phone',
        requester: 'bo',
        from: isoAt(HOUR),
        until: isoAt(2 * HOUR),
        note: 'demo',
      },
    });
    expect(await book(2 * HOUR, 3 * HOUR, { requester: 'al' })).toMatchObject({ status: 'BOOKED' });
  });

  test('takes the lowest slot of a pool that is free from its start to its end', async () => {
    await book(HOUR, 2 * HOUR, { resource: 'pool' });
    expect(await book(HOUR, 3 * HOUR, { resource: 'pool' })).toMatchObject({ slot: 'pool_1' });
    expect(await book(2 * HOUR, 3 * HOUR, { resource: 'pool' })).toMatchObject({ slot: 'pool_0' });
    expect(await book(HOUR, 2 * HOUR, { resource: 'pool_2' })).toMatchObject({ slot: 'pool_2' });
    expect(await book(HOUR, 2 * HOUR, { resource: 'pool' })).toMatchObject({
      status: 'CONFLICT',
      conflict: { slot: 'pool_0', until: isoAt(2 * HOUR) },
    });
  });

  test('is returned to its requester by a reserve, and claimed', async () => {
    await book(HOUR, 2 * HOUR, { claimWithinSeconds: 600 });
    await book(3 * HOUR, 4 * HOUR, { claimWithinSeconds: 600 });
    await goTo(HOUR + 599);
    const [had] = await reserve(running.engine, running.credential, [{ resource: 'phone', requester: 'bo' }]);
    expect(had).toMatchObject({ status: 'ALREADY_HAD', expiresAt: isoAt(2 * HOUR) });
    expect(await list()).toMatchObject([{ isClaimed: true }, { state: 'BOOKED' }]);
    await goTo(HOUR + 600);
    expect(await held()).toHaveLength(1);
    const token = had?.releaseToken ?? '';
    const [released] = await unreserve(running.engine, running.credential, [
      { resource: 'phone', requester: 'bo', releaseToken: token },
    ]);
    expect(released).toMatchObject({ status: 'RELINQUISHED' });
    expect(await list()).toHaveLength(1);
    await goTo(3 * HOUR);
    expect(await held()).toHaveLength(1);
    await goTo(3 * HOUR + 600);
    expect(await held()).toEqual([]);
    expect(await list()).toEqual([]);
  });

  test('is over after a reset if it runs, and stays if it has not begun', async () => {
    await book(HOUR, 2 * HOUR);
    await book(3 * HOUR, 4 * HOUR);
    await goTo(HOUR);
    expect(await held()).toHaveLength(1);
    await reset(running.engine, running.credential);
    expect(await list()).toMatchObject([{ state: 'BOOKED' }]);
    await goTo(3 * HOUR);
    expect(await held()).toMatchObject([{ expiresAt: isoAt(4 * HOUR) }]);
  });

  test('is moved if the new time fits, and stays as it is if not', async () => {
    const { booking } = await book(HOUR, 2 * HOUR);
    await book(3 * HOUR, 4 * HOUR, { requester: 'al' });
    const change = (start: number, end: number) =>
      changeBooking(running.engine, running.credential, booking ?? '', {
        start: day / 1000 + start,
        end: day / 1000 + end,
        note: 'moved',
      }).then(({ result }) => result);
    expect(await change(HOUR, 3 * HOUR + 60)).toMatchObject({
      status: 'CONFLICT',
      booking: { start: isoAt(HOUR), end: isoAt(2 * HOUR), note: null },
    });
    expect(await change(HOUR + 60, 3 * HOUR)).toMatchObject({
      status: 'BOOKED',
      booking: { start: isoAt(HOUR + 60), end: isoAt(3 * HOUR), note: 'moved' },
    });
    await goTo(HOUR);
    expect(await held()).toEqual([]);
    await goTo(HOUR + 60);
    expect(await held()).toMatchObject([{ expiresAt: isoAt(3 * HOUR) }]);
  });
});

describe('at its start', () => {
  test('the lease that its requester has of the slot is extended to its end', async () => {
    const [had] = await reserve(running.engine, running.credential, [
      { resource: 'phone', requester: 'bo', ttlSeconds: 2 * HOUR },
    ]);
    await book(HOUR, 3 * HOUR);
    await goTo(HOUR);
    const [now] = await held();
    expect(now).toMatchObject({ fencingToken: had?.fencingToken, expiresAt: isoAt(3 * HOUR) });
    await goTo(2 * HOUR);
    expect(await held()).toHaveLength(1);
  });

  test('a renewal is as before', async () => {
    await book(HOUR, 2 * HOUR);
    await goTo(HOUR);
    const [had] = await reserve(running.engine, running.credential, [{ resource: 'phone', requester: 'bo' }]);
    const [renewed] = await renew(running.engine, running.credential, [
      { resource: 'phone', requester: 'bo', releaseToken: had?.releaseToken ?? '', ttlSeconds: 3 * HOUR },
    ]);
    expect(renewed).toMatchObject({ status: 'RENEWED', expiresAt: isoAt(4 * HOUR) });
  });
});
