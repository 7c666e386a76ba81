/**
 * /api/v1/Booking: the rules of requests, and what the calls do (docs/specification.md#booking).
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SYSTEM_REQUESTER_PREFIX } from '../../../src/domain/names.ts';
import { BOOKING, bookingCalls } from '../../support/bookingCalls.ts';
import { STEERED_CLOCK, setClock } from '../../support/clock.ts';
import { type Instance, startInstance } from '../../support/service.ts';
import { watch } from '../../support/watch.ts';

/** Ahead of the real clock, by which other tests' instances end leases. */
const START = Date.UTC(2050, 0, 3);
const DAY_MS = 86_400_000;

let holdfast: Instance;
let calls: ReturnType<typeof bookingCalls>;
beforeAll(async () => {
  holdfast = await startInstance({ includes: { 'frame/now': STEERED_CLOCK } });
  calls = bookingCalls(holdfast);
  await holdfast.register(
    { name: 'phone', bookable: true, labels: { os: 'android' } },
    { name: 'pool', bookable: true, capacity: 3 },
    { name: 'plain' },
  );
});
afterAll(() => holdfast.stop());

/** Each test has a day of its own, and no bookings yet. */
let day = START;
beforeEach(async () => {
  day += DAY_MS;
  await setClock(holdfast.redis, holdfast.tenant, day);
  await holdfast.reset();
  for (const { booking } of (await calls.list()).body) await calls.cancel(booking);
});

/** ISO 8601, so many hours after the start of the test. */
const at = (hours: number) => new Date(day + hours * 3_600_000).toISOString();
const item = (from: number, to: number, rest: object = {}) => ({
  ...{ resource: 'phone', requester: 'bo', start: at(from), end: at(to) },
  ...rest,
});
async function booked(from: number, to: number, rest: object = {}) {
  const { body } = await calls.book([item(from, to, rest)]);
  const [one] = body.bookings;
  if (one?.booking == null) throw new Error(`not booked: ${JSON.stringify(body)}`);
  return { ...one, booking: one.booking };
}
const setTime = (hours: number) => setClock(holdfast.redis, holdfast.tenant, day + hours * 3_600_000);

describe('a request that is malformed is refused as a whole', () => {
  test.each<[string, object | ((one: object) => object), string]>([
    ['a part of a second', { start: '2050-06-01T09:00:00.5Z' }, '.start must be a time of whole seconds'],
    ['a time without a zone', { end: '2050-06-01T09:00:00' }, '.end must be a time of whole seconds'],
    [
      'less than a minute',
      { start: '2050-06-01T09:00:00Z', end: '2050-06-01T09:00:59Z' },
      '.end must be at least 60 s',
    ],
    [
      'more than 31 days',
      { start: '2050-06-01T09:00:00Z', end: '2050-07-02T09:00:01Z' },
      '.end must be at most 31 days',
    ],
    ['no resource', { resource: undefined }, '.resource is required'],
    ['both names and labels', { match: { os: 'android' } }, '.match must not stand beside resource'],
    ['claimed within 59 s', { claimWithinSeconds: 59 }, '.claimWithinSeconds must be an integer from 60 to 86400'],
    ['claimed within more than a day', { claimWithinSeconds: 86_401 }, '.claimWithinSeconds must be an integer'],
    ['a system requester', { requester: SYSTEM_REQUESTER_PREFIX }, '.requester must not start with'],
    ['SHARED', { mode: 'SHARED' }, '.mode is not a known field'],
    ['a note too long', { note: 'x'.repeat(501) }, '.note must be at most 500'],
  ])('%s', async (_, rest, message) => {
    const { status, body } = await calls.book([item(1, 2), { ...item(3, 4), ...rest }]);
    expect([status, body]).toEqual([400, expect.stringContaining(`bookings[1]${message}`)]);
    expect((await calls.list()).body).toEqual([]);
  });

  test('more than 200 bookings, or none', async () => {
    expect((await calls.book([])).status).toBe(400);
    const { status, body } = await calls.book(Array.from({ length: 201 }, (_, i) => item(i, i + 1)));
    expect([status, body]).toEqual([400, 'bookings must be an array of 1 to 200 bookings']);
  });

  test('a change of nothing, and one that leaves too little', async () => {
    const { booking } = await booked(1, 2);
    expect((await calls.change(booking, {})).body).toBe('start is required, or end, or note');
    expect((await calls.change(booking, { start: at(1), end: at(1) })).body).toContain('end must be at least 60 s');
    expect((await calls.change('1', { note: null })).body).toContain('id must be the id of a booking');
  });
});

describe('what depends on the moment is an item that is NOT_VALID', () => {
  test.each<[string, () => object]>([
    ['a start that is over', () => item(-1, 1)],
    ['a start more than 366 days ahead', () => item(366 * 24 + 1, 366 * 24 + 2)],
    ['more than the setting maxBookingSeconds', () => item(1, 26)],
    ['what cannot be booked', () => item(1, 2, { resource: 'plain' })],
    ['what is not registered', () => item(1, 2, { resource: 'unknown' })],
    ['labels that nothing has', () => item(1, 2, { resource: undefined, match: { os: 'none' } })],
  ])('%s', async (_, one) => {
    const { status, body } = await calls.book([one()]);
    expect([status, body.status, body.bookings[0]?.status]).toEqual([200, 'NOT_VALID', 'NOT_VALID']);
    expect(body.bookings[0]?.explanation).toMatch(/^NOT_VALID: ./);
  });

  test('a booking may start now, and 366 days ahead', async () => {
    expect(await booked(0, 1)).toMatchObject({ status: 'BOOKED' });
    expect(await booked(366 * 24, 366 * 24 + 1)).toMatchObject({ status: 'BOOKED' });
  });
});

describe('a call books all or none', () => {
  test('the others are ROLLED_BACK', async () => {
    await booked(1, 2, { requester: 'al' });
    const { body } = await calls.book([item(3, 4), item(1, 2)]);
    expect([body.status, body.bookings.map(({ status }) => status)]).toEqual(['CONFLICT', ['ROLLED_BACK', 'CONFLICT']]);
    expect(body.bookings[1]?.conflict).toMatchObject({ kind: 'BOOKING', requester: 'al', from: at(1), until: at(2) });
    expect((await calls.list()).body).toHaveLength(1);
  });

  test('but leaves out what conflicts with skipConflicts', async () => {
    await booked(1, 2, { requester: 'al' });
    const { body } = await calls.book([item(3, 4), item(1, 2)], { skipConflicts: true });
    expect([body.status, body.bookings.map(({ status }) => status)]).toEqual(['BOOKED', ['BOOKED', 'CONFLICT']]);
    const none = await calls.book([item(1, 2)], { skipConflicts: true });
    expect(none.body.status).toBe('CONFLICT');
  });

  test('three slots of a pool are three items', async () => {
    const three = Array.from({ length: 3 }, () => item(1, 2, { resource: 'pool' }));
    const { body } = await calls.book(three);
    expect(body.bookings.map(({ slot }) => slot)).toEqual(['pool_0', 'pool_1', 'pool_2']);
  });
});

describe('a booking', () => {
  test('by labels is of a bookable resource that has them', async () => {
    const one = await booked(1, 2, { resource: undefined, match: { os: 'android' } });
    expect(one).toMatchObject({ resource: 'phone', slot: 'phone' });
  });

  test('is listed, and filtered by resource, requester and time', async () => {
    const one = await booked(1, 2, { note: 'demo', resourceType: 'Device', claimWithinSeconds: 600 });
    await booked(3, 4, { requester: 'al', resource: 'pool' });
    const { body } = await calls.list('?resource=phone');
    expect(body).toEqual([
      {
        ...{ booking: one.booking, resource: 'phone', slot: 'phone', requester: 'bo', start: at(1), end: at(2) },
        ...{ state: 'BOOKED', note: 'demo', resourceType: 'Device', claimWithinSeconds: 600, bookedAt: at(0) },
        ...{ bookedBy: null, apiKeyLabel: null },
      },
    ]);
    const slots = async (query: string) => (await calls.list(`?${query}`)).body.map(({ slot }) => slot);
    expect(await slots('')).toEqual(['phone', 'pool_0']);
    expect(await slots(`from=${at(2)}`)).toEqual(['pool_0']);
    expect(await slots(`to=${at(3)}`)).toEqual(['phone']);
    expect(await slots('requester=al')).toEqual(['pool_0']);
    expect((await calls.list('?from=tomorrow')).status).toBe(400);
  });

  test('is moved, or stays as it is', async () => {
    const { booking } = await booked(1, 2);
    await booked(3, 4, { requester: 'al' });
    const stays = (await calls.change(booking, { end: at(3.5) })).body;
    expect(stays).toMatchObject({ status: 'CONFLICT', booking: { start: at(1), end: at(2) } });
    expect(stays.conflict).toMatchObject({ requester: 'al' });
    const moved = (await calls.change(booking, { start: at(2), end: at(3), note: 'later' })).body;
    expect(moved).toMatchObject({ status: 'BOOKED', booking: { booking, start: at(2), end: at(3), note: 'later' } });
    expect((await calls.change(booking, { note: null })).body.booking.note).toBeNull();
    expect((await calls.change(randomUUID(), { note: null })).status).toBe(404);
  });

  test('that runs is not moved, and a cancel releases it', async () => {
    const { booking } = await booked(1, 2);
    await setTime(1);
    const [running] = (await holdfast.active('?requester=bo')).body;
    expect(running).toMatchObject({ resource: 'phone', booking, expiresAt: at(2) });
    expect((await calls.change(booking, { end: at(3) })).body).toMatchObject({ status: 'NOT_VALID' });
    expect((await calls.cancel(booking)).body).toEqual({ cancelled: 1 });
    expect((await holdfast.active('?requester=bo')).body).toEqual([]);
    expect((await calls.cancel(booking)).body).toEqual({ cancelled: 0 });
  });

  test('leaves a history entry that names it', async () => {
    const { booking } = await booked(1, 2);
    await setTime(1);
    await holdfast.active();
    await setTime(2);
    await holdfast.active();
    const path = '/api/v1/Reservation/history?requester=bo&limit=1';
    const { body } = await holdfast.request<{ entries: unknown[] }>('GET', path);
    expect(body.entries).toMatchObject([{ booking, ending: 'EXPIRED', reservedAt: at(1), endedAt: at(2) }]);
  });
});

describe('a dry run', () => {
  test('says what would happen, and books nothing', async () => {
    const { body } = await calls.book([item(1, 2)], {}, '?dryRun=true');
    expect(body).toMatchObject({ status: 'BOOKED', bookings: [{ status: 'BOOKED', booking: null, slot: 'phone' }] });
    expect((await calls.list()).body).toEqual([]);
  });
});

describe('an Idempotency-Key', () => {
  test('gives a repeat the first answer, also once the start is over', async () => {
    const body = { bookings: [item(0, 1)] };
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await holdfast.request('POST', BOOKING, body, key);
    await setTime(0.1);
    const again = await holdfast.request('POST', BOOKING, body, key);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await calls.list()).body).toHaveLength(1);
  });
});

describe('a cancel is told once', () => {
  test('as that of the booking before it begins, and as the release of its reservation afterwards', async () => {
    const [running, next] = [await booked(1, 2), await booked(3, 4)];
    await setTime(1);
    const stream = await watch(holdfast);
    for (const { booking } of [next, running]) await calls.cancel(booking);
    const last = await booked(5, 6);
    const events = await stream.count(4);
    stream.close();
    expect(events.map(({ type, booking }) => [type, booking])).toEqual([
      ['RESERVED', running.booking],
      ['BOOKING_CANCELLED', next.booking],
      ['UNRESERVED', undefined],
      ['BOOKED', last.booking],
    ]);
  });
});
