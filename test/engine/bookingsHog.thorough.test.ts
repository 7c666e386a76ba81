/**
 * No script keeps Redis busy for long where a pool of 1,000 slots has 5,000 bookings (docs/specification.md#bookings).
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_NOTE_LENGTH } from '../../src/domain/maxSizes.ts';
import { book, bookings, cancelBookings, changeBooking, type EngineBooking } from '../../src/engine/bookings.ts';
import { registerBookable } from '../support/bookable.ts';
import { setClock } from '../support/clock.ts';
import { all } from '../support/listed.ts';
import { fresh, range, running, times, useHog } from './hog/hog.ts';
import { MAX_MS } from './hog/scriptTimes.ts';

const SLOTS = 1000;
const PER_SLOT = 5;
const MOST = 200;
const HOUR = 3600;
const START_S = Date.UTC(2050, 0, 1) / 1000;
const note = '🎉'.repeat(MAX_NOTE_LENGTH);

const goTo = (seconds: number) => setClock(running.engine.redis, running.credential.tenant, (START_S + seconds) * 1000);
const item = (resource: string, fromS: number, toS: number, rest: Partial<EngineBooking> = {}): EngineBooking => ({
  resource,
  requester: fresh(),
  start: START_S + fromS,
  end: START_S + toS,
  ...rest,
});
const bookAll = async (items: readonly EngineBooking[]) =>
  (await book(running.engine, running.credential, { bookings: items, skipConflicts: false })).result;
/** Books all slots of a pool for one time, with the longest notes. */
async function bookSlots(pool: string, slots: number, fromS: number, toS: number): Promise<void> {
  for (let i = 0; i < slots; i += MOST)
    await bookAll(range(MOST, (j) => item(`${pool}_${i + j}`, fromS, toS, { note, requester: `r${i + j}` })));
}
const rejected = (request: Promise<unknown>) => expect(request).rejects.toThrow('takes the request over the work');

useHog({ readsPerMinute: 1e8 });
beforeAll(async () => {
  await goTo(0);
  await registerBookable(running, { pool: SLOTS, phone: 1, other: SLOTS });
  for (let hour = 1; hour <= PER_SLOT; hour++) await bookSlots('pool', SLOTS, hour * HOUR, (hour + 1) * HOUR - 60);
}, 120_000);

describe('where all slots are booked, no script keeps Redis busy for long', () => {
  test('of those that book, change and list', async () => {
    const one = () => item('pool', HOUR, 2 * HOUR);
    const { engine, credential } = running;
    const [booked] = (await bookAll([item('pool', 40 * HOUR, 41 * HOUR)])).bookings;
    const [start, end] = [START_S + 2 * HOUR, START_S + 3 * HOUR];
    const operations: [string, () => Promise<unknown>][] = [
      ['book', () => bookAll([one()])],
      ['book 200 of as many requesters', () => rejected(bookAll(range(MOST, one)))],
      [
        'book 200 at as many times',
        () => rejected(bookAll(range(MOST, (i) => item('pool', HOUR + i, 2 * HOUR, { requester: 'one' })))),
      ],
      ['change', () => changeBooking(engine, credential, booked?.booking ?? '', { start, end })],
      ['list', () => all(bookings(engine, credential, {}))],
      ['list of a resource', () => all(bookings(engine, credential, { resource: 'pool', requester: 'r7' }))],
    ];
    for (const [title, operation] of operations)
      expect(await times.longest(title, operation), title).toBeLessThan(MAX_MS);
    await cancelBookings(engine, credential, { booking: booked?.booking ?? '' }, new Map());
  });

  test('of those that book the most, with the longest notes, and cancel it', async () => {
    const { engine, credential } = running;
    let at = 40;
    const many = () =>
      bookAll(range(MOST, () => item('other', at * HOUR, (at + 1) * HOUR, { note, requester: 'one' })));
    const next = async () => {
      at += 2;
      await cancelBookings(engine, credential, { resource: 'other' }, new Map());
    };
    // The bound of a requester would refuse the second hundred.
    const some = () =>
      bookAll(range(MOST, (i) => item('other', at * HOUR, (at + 1) * HOUR, { note, requester: `r${i}` })));
    expect(await times.longest('book 200', some, next)).toBeLessThan(MAX_MS);
    expect(await times.longest('book 101 for one', many, next)).toBeLessThan(MAX_MS);
    const cancel = () => cancelBookings(engine, credential, { resource: 'other' }, new Map());
    expect(await times.longest('cancel', cancel, () => bookSlots('other', SLOTS, 90 * HOUR, 91 * HOUR))).toBeLessThan(
      MAX_MS,
    );
  });
});
