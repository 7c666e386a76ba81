/**
 * Leases end before the bookings of others begin (docs/specification.md#leases-end-in-time).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../../src/contract/reservations.ts';
import { addBooking, makeBookable } from '../../support/booked.ts';
import { STEERED_CLOCK, setClock } from '../../support/clock.ts';
import { type Instance, startInstance } from '../../support/service.ts';

// Ahead of the real clock, by which other tests' instances end leases.
const NOW = Date.UTC(2050, 0, 1);
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();
const API = '/api/v1/Reservation';

let holdfast: Instance;
beforeAll(async () => {
  holdfast = await startInstance({ includes: { 'frame/now': STEERED_CLOCK } });
  await setClock(holdfast.redis, holdfast.tenant, NOW);
});
afterAll(() => holdfast.stop());

let round = 0;
let phone = '';
let pool = '';
beforeEach(async () => {
  await setClock(holdfast.redis, holdfast.tenant, NOW);
  [phone, pool] = [`phone-${round}`, `pool-${round++}`];
  await holdfast.register({ name: phone }, { name: pool, capacity: 4 });
  await makeBookable(holdfast, phone, pool);
});

const book = (slot: string, start: number, end = start + 100, requester = 'bo') =>
  addBooking(holdfast, slot, NOW / 1000 + start, NOW / 1000 + end, requester);

const reserve = async (fields: object) =>
  (
    await holdfast.request<ReserveResult[]>('POST', `${API}/reserve`, [
      { resource: phone, requester: 'ann', ...fields },
    ])
  ).body[0];

const bookedFrom = (seconds: number) => ({
  status: 'NOT_AVAILABLE',
  explanation: `NOT_AVAILABLE: booked from ${at(seconds)}`,
});

describe('a lease ends before the bookings of others begin', () => {
  test('on one slot', async () => {
    await book(phone, 60);
    expect(await reserve({ ttlSeconds: 61 })).toMatchObject(bookedFrom(60));
    expect(await reserve({ ttlSeconds: 60 })).toMatchObject({ status: 'ACQUIRED', expiresAt: at(60) });
  });

  test('one’s own bookings do not count, the next of another does', async () => {
    await book(phone, 60, 100, 'ann');
    await book(phone, 200);
    expect(await reserve({ ttlSeconds: 201 })).toMatchObject(bookedFrom(200));
    expect(await reserve({ ttlSeconds: 200 })).toMatchObject({ status: 'ACQUIRED' });
  });

  test('a pool gives the lowest slot that fits', async () => {
    await book(`${pool}_0`, 60);
    await book(`${pool}_1`, 70);
    await book(`${pool}_2`, 65);
    await book(`${pool}_3`, 50);
    expect(await reserve({ resource: pool, ttlSeconds: 71 })).toMatchObject(bookedFrom(70));
    expect(await reserve({ resource: pool, ttlSeconds: 65 })).toMatchObject({ acquiredSlots: { [pool]: `${pool}_1` } });
    expect(await reserve({ resource: pool, ttlSeconds: 65, requester: 'x' })).toMatchObject({
      acquiredSlots: { [pool]: `${pool}_2` },
    });
    expect(await reserve({ resource: `${pool}_0`, ttlSeconds: 61, requester: 'x' })).toMatchObject(bookedFrom(60));
  });

  test('of several slots, all have to fit', async () => {
    await book(`${pool}_0`, 60);
    await book(`${pool}_2`, 70);
    expect(await reserve({ resource: pool, ttlSeconds: 71, count: 3 })).toMatchObject(bookedFrom(70));
    expect(await reserve({ resource: pool, ttlSeconds: 71, count: 4 })).toMatchObject(bookedFrom(60));
    expect(await reserve({ resource: pool, ttlSeconds: 71, count: 2 })).toMatchObject({
      slots: [`${pool}_1`, `${pool}_3`],
    });
    expect(await reserve({ resource: pool, ttlSeconds: 9, count: 3, requester: 'x' })).toMatchObject({
      explanation: 'NOT_AVAILABLE',
    });
  });
});
