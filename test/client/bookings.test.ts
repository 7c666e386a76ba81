/** Bookings by the client for TypeScript (docs/specification.md#bookings). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Pair, startPair } from '../support/clients.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
  await pair.a.register(['bench', 'rig'].map((name) => ({ name, bookable: true })));
});
afterAll(() => pair.stop());

const at = (hours: number) => new Date((Math.ceil(Date.now() / 3_600_000) + hours) * 3_600_000);
const hour = (hours: number) => ({ start: at(hours), end: at(hours + 1) });

test('times are cut to whole seconds', async () => {
  const late = (date: Date) => new Date(date.getTime() + 999);
  const booked = await pair.a.book('rig', { start: late(at(5)), end: late(at(6)) });
  expect([booked.start, booked.end]).toEqual([at(5).toISOString(), at(6).toISOString()]);
  const { end } = await pair.a.changeBooking(booked.booking, { end: late(at(7)) });
  expect(end).toBe(at(7).toISOString());
});

describe('bookAll', () => {
  test('books all or none, and with skipConflicts the others', async () => {
    await pair.a.book('rig', hour(2));
    await expect(pair.b.bookAll(['bench', 'rig'], hour(2))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/^rig: CONFLICT: booked by \S+ from \S+ until \S+$/),
    });
    const some = await pair.b.bookAll(['bench', 'rig'], { ...hour(2), skipConflicts: true });
    expect(some.map(({ resource, status }) => [resource, status])).toEqual([
      ['bench', 'BOOKED'],
      ['rig', 'CONFLICT'],
    ]);
  });

  test('books a series, which is cancelled from a time on', async () => {
    const until = at(24 * 4)
      .toISOString()
      .slice(0, 10);
    const made = await pair.a.bookAll('bench', {
      start: at(25),
      end: at(26),
      repeat: { every: 'day', until, timeZone: 'UTC' },
    });
    expect(made.length).toBeGreaterThanOrEqual(3);
    const series = made[0]?.series ?? '';
    expect(await pair.a.cancelSeries(series, { from: at(26) })).toBe(made.length - 1);
    expect(await pair.a.cancelSeries(series)).toBe(1);
  });
});

describe('changeBooking', () => {
  test('moves a booking, or says what is in the way', async () => {
    const { booking } = await pair.a.book('bench', hour(50));
    await pair.b.book('bench', hour(52));
    const changed = await pair.a.changeBooking(booking, { ...hour(51), note: 'later' });
    expect(changed).toMatchObject({ booking, start: at(51).toISOString(), note: 'later' });
    await expect(pair.a.changeBooking(booking, { end: at(53) })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('bench: CONFLICT: booked by'),
    });
    expect(await pair.a.changeBooking(booking, { note: null })).toMatchObject({
      end: at(52).toISOString(),
      note: null,
    });
    await pair.a.cancelBooking(booking);
    await expect(pair.a.changeBooking(booking, { end: at(53) })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
    });
  });
});
