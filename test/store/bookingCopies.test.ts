/**
 * Bookings are written to the database, and come back where Redis has lost its data
 * (docs/specification.md#where-bookings-live).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newToken } from '../../src/engine/reservations/releaseToken.ts';
import { keepBookings } from '../../src/store/bookingCopies.ts';
import { BookingStore, HOUR } from '../support/bookingStore.ts';
import { reserve, reset, unreserve } from '../support/verbs.ts';

let own: BookingStore;
beforeAll(async () => {
  own = await BookingStore.open();
});
afterAll(() => own.close());
beforeEach(() => own.begin());

describe('a booking is written before its request is answered', () => {
  test('so the database has it then', async () => {
    const booking = await own.book(HOUR, 2 * HOUR, { note: 'demo' });
    expect(await own.copied()).toEqual([booking]);
    expect(await own.store.redis.exists(own.key('bookingChanges'))).toBe(0);
  });

  test('or taken back if the database refuses it, and a repeat books anew', async () => {
    const idempotency = { key: 'once', fingerprint: 'F'.repeat(64) };
    const request = own.request(HOUR, 2 * HOUR);
    const { database } = own.store;
    const real = database.of.bind(database);
    const spy = vi.spyOn(database, 'of').mockImplementation((tenant) => {
      if (tenant === own.tenant) throw new Error('refused');
      return real(tenant);
    });
    const answer = own.changes.book(own.credential, request, { idempotency });
    await expect(answer).rejects.toMatchObject({ code: 'unavailable' });
    spy.mockRestore();
    expect(await own.list()).toEqual([]);
    const { result, isReplayed } = await own.changes.book(own.credential, request, { idempotency });
    expect([result.status, isReplayed]).toEqual(['BOOKED', undefined]);
  });

  test('and stays if only a repeat of its request meets a database that refuses', async () => {
    const idempotency = { key: 'twice', fingerprint: 'F'.repeat(64) };
    const request = own.request(HOUR, 2 * HOUR);
    const { result } = await own.changes.book(own.credential, request, { idempotency });
    const { database } = own.store;
    const real = database.of.bind(database);
    const spy = vi.spyOn(database, 'of').mockImplementation((tenant) => {
      if (tenant === own.tenant) throw new Error('refused');
      return real(tenant);
    });
    const repeat = own.changes.book(own.credential, request, { idempotency });
    await expect(repeat).rejects.toMatchObject({ code: 'unavailable' });
    spy.mockRestore();
    expect(await own.ids()).toEqual(result.bookings.map(({ booking }) => booking));
  });

  test('and not made at all while the database is away', async () => {
    const spy = vi.spyOn(own.store.database, 'isUp').mockResolvedValue(false);
    await expect(own.book(HOUR, 2 * HOUR)).rejects.toMatchObject({ code: 'unavailable' });
    spy.mockRestore();
    expect(await own.store.redis.exists(own.key('bookings'), own.key('bookingChanges'))).toBe(0);
  });

  test('and not confirmed if Redis loses it before', async () => {
    const answer = keepBookings(own.store, own.tenant, [newToken()]);
    await expect(answer).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('changes are copied', () => {
  test('a change and a cancel at once', async () => {
    const [moved, gone] = [await own.book(HOUR, 2 * HOUR), await own.book(3 * HOUR, 4 * HOUR)];
    await own.changes.changeBooking(own.credential, moved, { note: 'moved' });
    await own.cancel(gone);
    expect(await own.copied()).toEqual([moved]);
    await own.flush();
    expect(await own.list()).toMatchObject([{ booking: moved, note: 'moved' }]);
  });

  test('a start, and the end by a release, by the worker', async () => {
    await own.book(60, HOUR);
    await own.goTo(61);
    const [had] = await reserve(own.engine, own.credential, [{ resource: 'phone', requester: 'bo' }]);
    const releaseToken = had?.releaseToken ?? expect.fail();
    await own.lookAfter();
    expect(await own.copied()).toHaveLength(1);
    await unreserve(own.engine, own.credential, [{ resource: 'phone', requester: 'bo', releaseToken }]);
    await own.lookAfter();
    expect(await own.copied()).toEqual([]);
    await own.flush();
    expect(await own.held()).toEqual([]);
  });

  test('the end by a reset', async () => {
    const [, next] = [await own.book(60, HOUR), await own.book(2 * HOUR, 3 * HOUR)];
    await own.goTo(61);
    await own.lookAfter();
    await reset(own.engine, own.credential);
    await own.lookAfter();
    expect(await own.copied()).toEqual([next]);
    await own.flush();
    expect([await own.held(), await own.ids()]).toEqual([[], [next]]);
  });
});

describe('after Redis has lost its data', () => {
  test('bookings are back before the first call, and those whose time is running begin', async () => {
    const [running, next] = [await own.book(60, HOUR), await own.book(2 * HOUR, 3 * HOUR, { resource: 'pool' })];
    await own.goTo(61);
    const [before] = await own.held();
    await own.lookAfter();
    await own.flush();
    const [taken] = await reserve(own.engine, own.credential, [{ resource: 'phone', requester: 'al' }]);
    expect(taken?.status).toBe('ALREADY_HELD');
    expect(await own.held()).toMatchObject([{ resource: 'phone', requester: 'bo', expiresAt: before?.expiresAt }]);
    expect(await own.ids()).toEqual([running, next]);
  });

  test('those of a tenant that sends no call are back by the worker, and due', async () => {
    await own.book(60, HOUR);
    await own.flush();
    await own.goTo(61);
    await own.lookAfter();
    expect(await own.store.redis.hlen(own.key('bookings'))).toBe(1);
    const due = await Promise.all(
      Array.from({ length: 16 }, (_, shard) => own.store.redis.zscore(`{expiry:${shard}}`, own.tenant)),
    );
    expect(due.filter((ms) => ms !== null && Number(ms) <= own.at(60) * 1000)).toHaveLength(1);
  });

  test('of two that have a slot only the later is back: the earlier had ended, which was not copied', async () => {
    for (const requester of ['bo', 'al', 'cy']) {
      const early = await own.book(60, HOUR, { requester });
      await own.goTo(61);
      const [had] = await reserve(own.engine, own.credential, [{ resource: 'phone', requester }]);
      const releaseToken = had?.releaseToken ?? expect.fail();
      await unreserve(own.engine, own.credential, [{ resource: 'phone', requester, releaseToken }]);
      const late = await own.book(120, HOUR, { requester: 'di' });
      expect(new Set(await own.copied())).toEqual(new Set([early, late]));
      await own.flush();
      expect(await own.ids()).toEqual([late]);
      await own.lookAfter();
      expect(await own.copied()).toEqual([late]);
      await own.cancel(late);
      await own.goTo(0);
    }
  });

  test('those whose end has come meanwhile stay away', async () => {
    await own.book(60, HOUR);
    await own.flush();
    await own.goTo(HOUR);
    expect([await own.held(), await own.list()]).toEqual([[], []]);
  });
});
