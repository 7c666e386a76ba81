/**
 * After a failover that lost writes, Redis and the database get what only the other has of bookings
 * (docs/specification.md#where-bookings-live).
 */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropCopyLease, takeCopyLease } from '../../src/engine/definitions/copy.ts';
import { copyBookings } from '../../src/store/bookingCopies.ts';
import { bookings } from '../../src/store/bookingsSchema.ts';
import { tenants } from '../../src/store/schema.ts';
import { BookingStore, HOUR } from '../support/bookingStore.ts';

let own: BookingStore;
beforeAll(async () => {
  own = await BookingStore.open();
});
afterAll(() => own.close());
beforeEach(() => own.begin());

const compared = () => own.store.redis.hget(own.key('tenant'), 'bookingsCompared');

describe('after a failover that lost writes', () => {
  test('Redis gets the bookings that only the database has', async () => {
    const kept = await own.book(HOUR, 2 * HOUR);
    const state = await own.state();
    const lost = await own.book(3 * HOUR, 4 * HOUR);
    await own.failOverTo(state);
    expect(await own.ids()).toEqual([kept]);
    await own.lookAfter();
    expect(await own.ids()).toEqual([kept, lost]);
  });

  test('the database gets those that only Redis has', async () => {
    const booking = await own.book(HOUR, 2 * HOUR);
    const state = await own.state();
    await own.store.database.run((db) => db.delete(bookings).where(eq(bookings.tenantId, own.tenant)));
    await own.book(3 * HOUR, 4 * HOUR);
    await own.failOverTo(state);
    await own.lookAfter();
    expect(await own.copied()).toContain(booking);
  });

  test('what was cancelled, or has ended, stays so', async () => {
    const [cancelled, running] = [await own.book(HOUR, 2 * HOUR), await own.book(60, HOUR, { resource: 'pool' })];
    await own.goTo(61);
    await own.held();
    const state = await own.state();
    await own.cancel(cancelled);
    await own.cancel(running);
    await own.failOverTo(state);
    expect(await own.list()).toHaveLength(2);
    await own.lookAfter();
    expect([await own.list(), await own.held(), await own.copied()]).toEqual([[], [], []]);
  });

  test('one that was moved is where it was moved to', async () => {
    const booking = await own.book(HOUR, 2 * HOUR);
    const state = await own.state();
    const [start, end] = [own.at(5 * HOUR), own.at(6 * HOUR)];
    await own.changes.changeBooking(own.credential, booking, { start, end });
    await own.failOverTo(state);
    await own.lookAfter();
    expect(await own.list()).toMatchObject([{ booking, start: new Date(start * 1000).toISOString() }]);
  });

  test('one that has begun begins once', async () => {
    await own.book(60, HOUR);
    const state = await own.state();
    await own.goTo(61);
    const [before] = await own.held();
    await own.lookAfter();
    await own.failOverTo(state);
    await own.lookAfter();
    expect(await own.held()).toMatchObject([{ resource: 'phone', expiresAt: before?.expiresAt }]);
    expect(await own.ids()).toHaveLength(1);
  });

  test('one whose slot another booking has by now gets another slot, or is cancelled', async () => {
    const state = await own.state();
    const [moved, gone] = [await own.book(HOUR, 2 * HOUR, { resource: 'pool' }), await own.book(HOUR, 2 * HOUR)];
    await own.failOverTo(state);
    const others = [
      await own.book(HOUR, 2 * HOUR, { resource: 'pool_0', requester: 'al' }),
      await own.book(HOUR, 2 * HOUR, { requester: 'al' }),
    ];
    await own.lookAfter();
    const now = await own.list();
    expect(new Set(now.map(({ booking }) => booking))).toEqual(new Set([moved, ...others]));
    expect(now.find(({ booking }) => booking === moved)).toMatchObject({ slot: 'pool_1' });
    await own.lookAfter();
    expect(await own.copied()).not.toContain(gone);
  });

  test('they are compared once', async () => {
    await own.book(HOUR, 2 * HOUR);
    await own.failOverTo(await own.state());
    await own.lookAfter();
    expect(await compared()).toMatch(/^\w{40} 0 0$/);
  });

  test('they are compared again after the database was restored from an older copy', async () => {
    const booking = await own.book(HOUR, 2 * HOUR);
    await own.lookAfter();
    await own.store.database.run((db) => db.delete(bookings).where(eq(bookings.tenantId, own.tenant)));
    await own.book(3 * HOUR, 4 * HOUR);
    const restored = { version: sql`${tenants.version} + 1000000`, changedAt: sql`now()` };
    await own.store.database.run((db) => db.update(tenants).set(restored).where(eq(tenants.id, own.tenant)));
    await own.engine.loadTenant(own.tenant);
    await own.lookAfter();
    expect(await own.copied()).toContain(booking);
  });
});

describe('while bookings are restored', () => {
  test('what is over meanwhile stays noted, so that an older copy does not bring it back', async () => {
    const booking = await own.book(HOUR, 2 * HOUR);
    expect(await takeCopyLease(own.store.redis, own.tenant, 'lease')).toBe(true);
    await own.cancel(booking);
    expect(await own.store.redis.zcard(own.key('bookingChanges'))).toBe(1);
    await dropCopyLease(own.store.redis, own.tenant);
    await copyBookings(own.store, own.tenant);
    expect(await own.store.redis.zcard(own.key('bookingChanges'))).toBe(0);
  });

  test('an instance without the lease restores nothing', async () => {
    await own.book(HOUR, 2 * HOUR);
    expect(await takeCopyLease(own.store.redis, own.tenant, 'other')).toBe(true);
    await own.failOverTo(await own.state());
    await own.lookAfter();
    expect(await compared()).toBe('another history');
  });
});
