/**
 * Bookings in the timeline of a row: where they stand, and what those who wait can expect around them
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { expectedTimes } from '../../src/dashboard/timeline/expected.ts';
import { nextFit } from '../../src/dashboard/timeline/fit.ts';
import { frameAt, hasNow, marksOf, weekFrame } from '../../src/dashboard/timeline/frame.ts';
import { timelineRow } from '../../src/dashboard/timeline/row.ts';
import type { RowFacts } from '../../src/dashboard/timeline/rowFacts.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-01-31T14:20:00Z');
const at = (minutes: number) => NOW + minutes * MINUTE;
const ticket = (minutes: number | null, count = 1) => ({ ttlMs: minutes === null ? null : minutes * MINUTE, count });
const FREE: RowFacts = { capacity: 1, held: 0, holdings: [], waiting: [] };
const rowOf = (facts: Partial<RowFacts>) => timelineRow({ ...FREE, ...facts }, frameAt(NOW));

describe('bookings of a timeline', () => {
  const booked = (fromMinutes: number, toMinutes: number, slot = 0) => ({
    slot,
    who: 'bob',
    note: 'demo',
    fromMs: at(fromMinutes),
    toMs: at(toMinutes),
  });

  test('stand from their start to their end, in the lane of their slot, and in the words of the row', () => {
    const row = rowOf({ capacity: 2, bookings: [booked(60, 120, 1)] });
    const bars = row.bars.filter(({ kind }) => kind === 'booked');
    expect(bars).toEqual([
      expect.objectContaining({ lane: 1, text: 'bob · 15:20–16:20 UTC · demo', isCutLeft: false }),
    ]);
    expect((bars[0]?.from ?? 0) - 18).toBeCloseTo(100 / 7.5, 1);
    expect(row.text).toContain('Booked: bob Sat 31 Jan, 15:20–16:20 UTC.');
  });

  test('that are over, or begin after the frame, are not drawn', () => {
    expect(rowOf({ bookings: [booked(-60, -1), booked(600, 660)] }).bars).toEqual([]);
  });

  test('part the bar of what is out of service, so that its text stands beside them', () => {
    const notReady = [{ slot: 0, kind: 'out' as const, text: 'Out of service · screen', fromMs: at(-60) }];
    const { bars } = rowOf({ free: 0, notReady, bookings: [booked(60, 120), booked(120, 150)] });
    const [before, after, first, second] = bars;
    expect(bars.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'out ',
      'out Out of service · screen',
      'booked bob · 15:20–16:20 UTC · demo',
      'booked bob · 16:20–16:50 UTC · demo',
    ]);
    expect([before?.to, after?.from]).toEqual([first?.from, second?.to]);
  });

  test('count as in use in the area of a pool without lanes', () => {
    const { area } = rowOf({ capacity: 40, held: 4, bookings: [booked(60, 120, 9)] });
    expect(area.map(({ held }) => held)).toEqual([4, 5, 4]);
  });

  test.each([
    ['before a booking if its time is long enough', [booked(60, 90)], [ticket(60)], [0]],
    ['after a booking that it would cross', [booked(60, 90)], [ticket(61)], [90]],
    ['after what was expected before, and the booking', [booked(60, 90)], [ticket(45), ticket(45)], [0, 90]],
    ['without an end, after the last booking', [booked(60, 90)], [ticket(null)], [90]],
  ])('let those who wait expect their turn %s', (_, bookings, tickets, starts) => {
    const waiting = tickets.map((one) => ({ who: 'eve', ...one }));
    const expected = rowOf({ bookings, waiting }).expectedMs.map((ms) => ms && (ms - NOW) / MINUTE);
    expect(expected).toEqual(starts);
  });

  test('of several slots are waited for together', () => {
    const leases = [{ endsAtMs: at(0), booked: [booked(30, 60)] }, { endsAtMs: at(20) }];
    expect(expectedTimes(leases, 2, [ticket(20, 2)], NOW)).toEqual([
      { startMs: at(60), endMs: at(80), slots: expect.arrayContaining([0, 1]) },
    ]);
  });
});

describe('a week of a timeline', () => {
  const BERLIN = 'Europe/Berlin';
  const [week, next] = [weekFrame(NOW, BERLIN, 0), weekFrame(NOW, BERLIN, 1)];

  test('has seven days from midnight on, in the zone of the browser, and the next one those after', () => {
    expect([week.fromMs, week.toMs, next.toMs].map((ms) => new Date(ms).toISOString().slice(0, 16))).toEqual([
      '2026-01-30T23:00',
      '2026-02-06T23:00',
      '2026-02-13T23:00',
    ]);
    expect([next.fromMs, hasNow(week), hasNow(next)]).toEqual([week.toMs, true, false]);
    expect(marksOf(next).map(({ ms }) => (ms - next.fromMs) / MINUTE / 60)).toEqual([0, 24, 48, 72, 96, 120, 144]);
  });

  test('says the days of bookings, and of the next week draws nothing of now', () => {
    const bookings = [{ slot: 0, who: 'bob', fromMs: at(10 * 24 * 60), toMs: at(10 * 24 * 60 + 120) }];
    const holdings = [{ slot: 0, kind: 'held' as const, who: 'eve', fromMs: at(-60), toMs: at(60) }];
    const { bars } = timelineRow({ ...FREE, held: 1, holdings, bookings }, next);
    expect(bars.map(({ kind, text }) => [kind, text])).toEqual([['booked', 'bob · Tue 10 Feb, 15:20–17:20']]);
  });
});

describe('the next time that fits', () => {
  const taken = [
    { fromMs: at(60), toMs: at(90) },
    { fromMs: at(10), toMs: at(30) },
    { fromMs: at(80), toMs: at(85) },
  ];

  test.each([
    ['is at once', 0, 10, 0],
    ['is between two', 0, 11, 30],
    ['is after all', 0, 31, 90],
    ['is where it is asked for', 31, 29, 31],
  ])('%s', (_, from, length, start) => {
    expect((nextFit(taken, at(from), length * MINUTE) - NOW) / MINUTE).toBe(start);
  });

  test('is never while somebody has it without an end', () => {
    const endless = [{ fromMs: at(0), toMs: Number.POSITIVE_INFINITY }];
    expect(nextFit(endless, at(5), MINUTE)).toBe(Number.POSITIVE_INFINITY);
  });
});
