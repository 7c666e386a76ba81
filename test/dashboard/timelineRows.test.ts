/**
 * What the timeline of a row shows: when those who wait can expect their turn, and where bars stand
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { expectedTimes } from '../../src/dashboard/timeline/expected.ts';
import { frameAt, marksOf, placeOf } from '../../src/dashboard/timeline/frame.ts';
import { timelineRow } from '../../src/dashboard/timeline/row.ts';
import type { Holding, RowFacts } from '../../src/dashboard/timeline/rowFacts.ts';
import { Timeline, TimelineAxis, TimelineDefs } from '../../src/dashboard/timeline/timeline.tsx';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.parse('2026-01-31T14:20:00Z');
const at = (minutes: number) => NOW + minutes * MINUTE;
const lease = (minutes: number | null) => ({ endsAtMs: minutes === null ? null : at(minutes) });
const ticket = (minutes: number | null, count = 1) => ({ ttlMs: minutes === null ? null : minutes * MINUTE, count });

/** In minutes from now. */
const startsOf = (...args: Parameters<typeof expectedTimes> extends [...infer First, number] ? First : never) =>
  expectedTimes(...args, NOW).map(({ startMs }) => (startMs === null ? null : (startMs - NOW) / MINUTE));

describe('a waiting request can expect its turn', () => {
  test.each([
    ['after the lease', [lease(25)], 1, [ticket(30)], [25]],
    [
      'after those ahead of it, each as long as it asked for',
      [lease(25)],
      1,
      [ticket(30), ticket(10), ticket(5)],
      [25, 55, 65],
    ],
    ['now if the lease is over', [lease(-3)], 1, [ticket(30)], [0]],
    ['at the first slot of a pool that becomes free', [lease(50), lease(20)], 2, [ticket(10), ticket(10)], [20, 30]],
    ['when as many slots are free as it wants', [lease(50), lease(20), lease(90)], 4, [ticket(10, 3)], [50]],
    ['never, as far as anybody knows, without an end of the lease', [lease(null)], 1, [ticket(30)], [null]],
    ['never behind a request without an end', [lease(5)], 1, [ticket(null), ticket(5)], [5, null]],
    ['never for more slots than there are', [lease(5)], 2, [ticket(5, 3)], [null]],
    ['before a larger one whose turn nobody knows', [lease(null), lease(20)], 2, [ticket(5, 2), ticket(5)], [null, 20]],
    [
      'at the second slot after the capacity was lowered by one',
      [lease(10), lease(40)],
      1,
      [ticket(5), ticket(5)],
      [40, 45],
    ],
  ])('%s', (_, leases, capacity, tickets, starts) => {
    expect(startsOf(leases, capacity, tickets)).toEqual(starts);
  });
});

describe('the frame', () => {
  test('has now at 18 percent, and stands still for 30 s', () => {
    const frame = frameAt(NOW + 29_000);
    expect(frame).toEqual(frameAt(NOW));
    expect(placeOf(frame, frame.nowMs)).toBe(18);
    expect(frame.toMs - frame.fromMs).toBe(7.5 * HOUR);
  });

  test('keeps times outside at its edges', () => {
    expect(placeOf(frameAt(NOW), at(-600))).toBe(0);
    expect(placeOf(frameAt(NOW), at(6000))).toBe(100);
  });

  test('marks full hours, without a time beside now or at the edge', () => {
    const marks = marksOf(frameAt(NOW)).map(({ ms, hasText }) => [new Date(ms).getUTCHours(), hasText]);
    expect(marks).toEqual([
      [13, true],
      [14, false],
      [15, true],
      [16, true],
      [17, true],
      [18, true],
      [19, true],
      [20, false],
    ]);
    expect(marksOf(frameAt(at(-20))).at(-1)?.hasText).toBe(false);
    // At 14:50, now would touch 14:00.
    expect(marksOf(frameAt(at(30))).map(({ hasText }) => hasText)).toEqual([false, false, ...Array(5).fill(true)]);
  });

  test('marks every third hour of a day', () => {
    expect(marksOf(frameAt(NOW, 'UTC', 24 * HOUR, 0.5)).map(({ ms }) => new Date(ms).getUTCHours() % 3)).toEqual(
      Array(8).fill(0),
    );
  });
});

const FREE: RowFacts = { capacity: 1, held: 0, holdings: [], waiting: [] };
const held = (more: Partial<Holding> = {}): Holding => ({
  slot: 0,
  kind: 'held',
  who: 'Chen Wei',
  fromMs: at(-50),
  toMs: at(25),
  ...more,
});
const rowOf = (facts: Partial<RowFacts>) => timelineRow({ ...FREE, ...facts }, frameAt(NOW));

describe('a row of a timeline', () => {
  test('shows a lease from its begin to its end, then those who wait, in order', () => {
    const { bars } = rowOf({
      held: 1,
      holdings: [held()],
      waiting: [
        { who: 'gitlab-ios-3', ttlMs: 30 * MINUTE, count: 1 },
        { who: 'Bo', ttlMs: 15 * MINUTE, count: 1 },
      ],
    });
    expect(bars.map(({ kind, text }) => [kind, text])).toEqual([
      ['held', 'Chen Wei'],
      ['waiting', '1 gitlab-ios-3'],
      ['waiting', '2 Bo'],
    ]);
    expect(bars[1]?.from).toBe(bars[0]?.to);
    expect(bars[2]?.from).toBe(bars[1]?.to);
  });

  test('has no end edge without an end, and fades out while a session keeps it', () => {
    expect(rowOf({ held: 1, holdings: [held({ toMs: null })] }).bars[0]).toMatchObject({ to: 100, isCutRight: true });
    const [kept] = rowOf({ held: 1, holdings: [held({ isKept: true })] }).bars;
    expect(kept).toMatchObject({ isCutRight: true, fades: true });
    expect(kept?.to).toBeLessThan(40);
  });

  test('shows nobody whose turn nobody knows', () => {
    const { bars, expectedMs } = rowOf({
      held: 1,
      holdings: [held({ toMs: null })],
      waiting: [{ who: 'Bo', ttlMs: 1, count: 1 }],
    });
    expect(bars).toHaveLength(1);
    expect(expectedMs).toEqual([null]);
  });

  test('says what blocks it, until then', () => {
    const { bars, text } = rowOf({ blocked: { by: 'staging-database', toMs: at(43) } });
    expect(bars).toMatchObject([{ kind: 'blocked', text: 'needs staging-database', from: 18 }]);
    expect(text).toBe('Now: needs staging-database.');
  });

  test('has a lane for each of 12 slots, and an area for more', () => {
    const pool = (capacity: number) =>
      rowOf({ capacity, held: 2, holdings: [held(), held({ slot: 1, toMs: at(60) })] });
    expect(pool(12).lanes).toBe(12);
    expect(pool(40).lanes).toBe(0);
    expect(pool(12).bars.map(({ kind, lane }) => `${kind} ${lane}`)).toContain('free 11');
    expect(pool(40).area.map((step) => step.held)).toEqual([2, 1, 0]);
    expect(pool(40).bars).toEqual([]);
  });

  test('puts those who wait for several slots into the lanes that become free first', () => {
    const { bars } = rowOf({
      capacity: 3,
      held: 3,
      holdings: [held({ toMs: at(90) }), held({ slot: 1 }), held({ slot: 2, toMs: at(60) })],
      waiting: [{ who: 'train', ttlMs: HOUR, count: 2 }],
    });
    expect(bars.flatMap(({ kind, lane }) => (kind === 'waiting' ? [lane] : []))).toEqual([1, 2]);
  });

  test('says the same in words', () => {
    const { text } = rowOf({
      held: 1,
      holdings: [held({ kind: 'past', who: 'Dana', fromMs: at(-90), toMs: at(-60) }), held()],
      waiting: [{ who: 'Bo', ttlMs: HOUR, count: 1 }],
    });
    expect(text).toBe('Before: Dana. Now: Chen Wei. Then: Bo.');
  });
});

describe('a slot that is not ready', () => {
  const out = { slot: 0, kind: 'out' as const, text: 'Out of service · LAB-412', fromMs: at(-3000) };
  const waiting = [{ who: 'Bo', ttlMs: HOUR, count: 1 }];

  test('has a bar since then, without an end, and in the words', () => {
    const { bars, text } = rowOf({ free: 0, notReady: [out] });
    expect(bars).toMatchObject([{ kind: 'out', text: out.text, from: 0, to: 100, isCutLeft: true, isCutRight: true }]);
    expect(text).toBe('Now: out of service · LAB-412.');
  });

  test('has its bar after the reservation that holds it, and none if that has no end', () => {
    const holding = rowOf({ held: 1, free: 0, holdings: [held()], notReady: [out] });
    expect(holding.bars.map(({ kind }) => kind)).toEqual(['held', 'out']);
    expect(holding.bars[1]?.from).toBe(holding.bars[0]?.to);
    expect(holding.text).toBe('Now: Chen Wei. After that: out of service · LAB-412.');
    const endless = rowOf({ held: 1, free: 0, holdings: [held({ toMs: null })], notReady: [out] });
    expect(endless.bars.map(({ kind }) => kind)).toEqual(['held']);
  });

  test('is expected by nobody who waits, also after the reservation that holds it', () => {
    expect(rowOf({ free: 0, notReady: [out], waiting }).expectedMs).toEqual([null]);
    expect(rowOf({ held: 1, free: 0, holdings: [held()], notReady: [out], waiting }).expectedMs).toEqual([null]);
  });

  test('leaves the other slots of a pool to those who wait', () => {
    const { bars, expectedMs } = rowOf({
      capacity: 3,
      held: 1,
      free: 1,
      holdings: [held({ slot: 2 })],
      notReady: [out],
      waiting: [...waiting, ...waiting, ...waiting],
    });
    expect(bars.map(({ kind, lane }) => `${kind} ${lane}`)).toEqual([
      ...['free 1', 'held 2', 'out 0', 'waiting 1', 'waiting 2', 'waiting 1'],
    ]);
    expect(expectedMs).toEqual([at(0), at(25), at(60)]);
  });

  test('of a large pool counts although nobody looked at it', () => {
    expect(rowOf({ capacity: 40, held: 0, free: 0, waiting }).expectedMs).toEqual([null]);
    expect(rowOf({ capacity: 40, held: 0, free: 1, waiting }).expectedMs).toEqual([at(0)]);
  });
});

describe('the drawing of a timeline', () => {
  const frame = frameAt(NOW);
  const row = rowOf({ held: 1, holdings: [held({ note: 'push notifications of the shop' })] });
  const html = [TimelineDefs({ frame }), TimelineAxis({ frame }), Timeline({ row })].map(String).join('');

  test('has places in percent, and no style attribute', () => {
    expect(html).not.toContain('style');
    expect(html).toContain('x="6.89%"');
    expect(html).toContain('width="16.67%"');
  });

  test('shortens a text to its bar, and has all of it as a title', () => {
    expect(html).toContain('<title>Chen Wei · push notifications of the shop</title>');
    expect(html).toMatch(/>Chen Wei[^<]*…<\/text>/);
  });

  test('writes the text of a short bar beside it, as far as the next one', () => {
    const booked = (fromMinutes: number, who: string) => ({
      ...{ slot: 0, who, fromMs: at(fromMinutes), toMs: at(fromMinutes + 15) },
    });
    const bookings = [booked(30, 'Dana Ruiz'), booked(180, 'eve'), booked(200, 'bob')];
    const html = String(Timeline({ row: rowOf({ bookings }) }));
    const beside = [...html.matchAll(/<svg class="beside".*?<\/svg>/g)].join('');
    const texts = (kind: string) =>
      [...beside.matchAll(new RegExp(`<text class="${kind}"[^>]*>([^<]*)`, 'g'))].map(([, text]) => text);
    expect(texts('in-wide')).toEqual(['Dana Ruiz · 14:50–15:0…', 'bob · 17:40–17:55 UTC']);
    expect(texts('in-narrow')).toEqual(['Dana Ruiz ·…', 'bob · 17:40–17:…']);
  });

  test('says the place alone of somebody who waits, where the name has no room', () => {
    const waiting = [{ who: 'Chen Wei', ttlMs: 30 * 60_000, count: 1 }];
    const html = String(Timeline({ row: rowOf({ held: 1, holdings: [held()], waiting }) }));
    expect(html).toMatch(/class="bar waiting".*?<text[^>]*>1<\/text>/s);
  });
});
