/**
 * Series over HTTP (docs/specification.md#series).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BookResult } from '../../../src/contract/bookings.ts';
import { BOOKING, bookingCalls } from '../../support/bookingCalls.ts';
import { STEERED_CLOCK, setClock } from '../../support/clock.ts';
import { type Instance, startInstance } from '../../support/service.ts';

/** A Monday. The clocks of Berlin go forward on 2051-03-26. */
const MONDAY = Date.UTC(2051, 2, 20);

let holdfast: Instance;
let calls: ReturnType<typeof bookingCalls>;
beforeAll(async () => {
  holdfast = await startInstance({ includes: { 'frame/now': STEERED_CLOCK } });
  calls = bookingCalls(holdfast);
  await setClock(holdfast.redis, holdfast.tenant, MONDAY);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  await holdfast.register(...names.map((name) => ({ name, bookable: true })));
});
afterAll(() => holdfast.stop());

const WEEKDAYS = { every: 'week', on: ['mon', 'wed'], until: '2051-03-29', timeZone: 'Europe/Berlin' };
const item = (resource: string, repeat: object = WEEKDAYS) => ({
  ...{ resource, requester: 'bo', start: '2051-03-20T08:00:00Z', end: '2051-03-20T10:00:00Z', repeat },
});
const startsOf = (rows: readonly { start: string }[]) => rows.map(({ start }) => start);

describe('a series', () => {
  test('is booked in the wall-clock time of its zone, and its bookings name it', async () => {
    const { body } = await calls.book([item('a')]);
    expect(body.status).toBe('BOOKED');
    expect(startsOf(body.bookings)).toEqual([
      '2051-03-20T08:00:00.000Z',
      '2051-03-22T08:00:00.000Z',
      '2051-03-27T07:00:00.000Z',
      '2051-03-29T07:00:00.000Z',
    ]);
    const [first] = body.bookings;
    const listed = (await calls.list('?resource=a')).body;
    expect(listed.map(({ series }) => series)).toEqual(Array.from({ length: 4 }, () => first?.series));
  });

  test('has one name, also in the response to a repeat with an Idempotency-Key', async () => {
    const send = () =>
      holdfast.request<BookResult>('POST', BOOKING, { bookings: [item('f')] }, { 'Idempotency-Key': 'series' });
    const [first, repeat] = [await send(), await send()];
    expect([first.body.status, repeat.body]).toEqual(['BOOKED', first.body]);
  });

  test('is cancelled from a time on, or as a whole', async () => {
    const { body } = await calls.book([item('b')]);
    const series = body.bookings[0]?.series ?? '';
    expect((await calls.cancel(`series/${series}?from=2051-03-27T07:00:00Z`)).body).toEqual({ cancelled: 2 });
    expect(startsOf((await calls.list('?resource=b')).body)).toEqual(startsOf(body.bookings.slice(0, 2)));
    expect((await calls.cancel(`series/${series}`)).body).toEqual({ cancelled: 2 });
    expect((await calls.cancel(`series/${series}`)).body).toEqual({ cancelled: 0 });
  });

  test('leaves out with skipConflicts what conflicts, also by a rule', async () => {
    await calls.book([{ ...item('c'), repeat: undefined, start: '2051-03-22T09:00:00Z', end: '2051-03-22T11:00:00Z' }]);
    const early = { ...item('c'), start: '2051-03-19T23:30:00Z', end: '2051-03-20T08:30:00Z' };
    const daily = { ...WEEKDAYS, every: 'day', on: undefined, until: '2051-03-22' };
    const all = await calls.book([{ ...early, requester: 'al', repeat: daily }]);
    expect(all.body.status).toBe('CONFLICT');
    const { body } = await calls.book([{ ...early, requester: 'al', repeat: daily }], { skipConflicts: true });
    // The first one has begun already.
    expect(body.bookings.map(({ status }) => status)).toEqual(['CONFLICT', 'BOOKED', 'BOOKED']);
  });

  test.each<[string, object, string]>([
    [
      'no zone that there is',
      { timeZone: 'Europe/Atlantis' },
      'bookings[0].repeat.timeZone must be a time zone, such as Europe/Berlin',
    ],
    ['no weekday', { on: [] }, 'bookings[0].repeat.on must name a weekday'],
    ['none that there is', { on: ['moon'] }, 'bookings[0].repeat.on[0] must be one of mon, tue'],
    ['an end that is no date', { until: 'friday' }, 'bookings[0].repeat.until must be a date, such as 2026-12-24'],
    ['an end before its start', { until: '2051-03-19' }, 'bookings[0].repeat has no day from start to until'],
    [
      'more than 200 bookings',
      { every: 'day', on: undefined, until: '2051-12-31' },
      'bookings[0] takes the request over 200',
    ],
  ])('is refused with %s', async (_, rest, message) => {
    const { status, body } = await calls.book([item('d', { ...WEEKDAYS, ...rest })]);
    expect([status, body]).toEqual([400, expect.stringContaining(message)]);
    expect((await calls.list('?resource=d')).body).toEqual([]);
  });

  test('may have 100 bookings, unless the setting bookingsPerRequester says otherwise', async () => {
    const daily = (until: string) => item('e', { ...WEEKDAYS, every: 'day', on: undefined, until });
    const { body } = await calls.book([{ ...daily('2051-06-28'), requester: 'carl' }]);
    expect([body.status, body.bookings.length, body.bookings[100]?.status]).toEqual(['CONFLICT', 101, 'CONFLICT']);
    expect(body.bookings[100]?.explanation).toMatch(/100/);
    expect((await calls.book([{ ...daily('2051-06-27'), requester: 'carl' }])).body.status).toBe('BOOKED');
  });
});
