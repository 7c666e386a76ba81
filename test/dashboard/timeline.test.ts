/**
 * How a timeline arranges who held which slot when (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { currentSpans, pastSpans, type Span, ticksOf, timelineOf } from '../../src/dashboard/resource/timeline.ts';
import type { PastEntry } from '../../src/domain/history.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-01-31T12:00:00Z');
const DAY = { fromMs: NOW - 24 * HOUR, nowMs: NOW };

const held = (slot: string, from: number, to: number, requester = 'ann'): Span => ({
  slot,
  requester,
  fromMs: NOW + from * HOUR,
  toMs: NOW + to * HOUR,
  ending: 'RELEASED',
  actor: null,
  note: null,
});
const lanesOf = (spans: Span[]) => timelineOf(['a'], spans, DAY).strips[0]?.lanes ?? [];

describe('what is drawn', () => {
  test('is each slot of an ended reservation, and no wait that came to nothing', () => {
    const entry: PastEntry = {
      kind: 'RESERVATION',
      number: 1,
      resource: 'pool',
      requestedName: null,
      slots: ['pool_0', 'pool_2'],
      requester: 'ann',
      resourceType: 'default',
      mode: 'EXCLUSIVE',
      apiKeyLabel: null,
      note: 'why',
      waitedMs: null,
      reservedAt: NOW - HOUR,
      endedAt: NOW,
      ending: 'TAKEN_AWAY',
      actor: 'person:bob',
    };
    const wait: PastEntry = { ...entry, kind: 'WAIT', slots: [], reservedAt: null, ending: 'ELAPSED' };
    const [first, ...rest] = pastSpans([entry, wait]);
    expect(first).toEqual({ ...held('pool_0', -1, 0), ending: 'TAKEN_AWAY', actor: 'person:bob', note: 'why' });
    expect(rest.map(({ slot }) => slot)).toEqual(['pool_2']);
  });

  test('is what is held now, until now; a slot that is only held along has no beginning, so it is not', () => {
    const hold = {
      kind: 'own' as const,
      holder: 'ann',
      sharers: [],
      count: 1,
      since: new Date(NOW - HOUR).toISOString(),
      until: null,
      isUnclaimed: false,
      hasSession: false,
      resource: 'a',
      keyLabel: '',
      note: undefined,
    };
    const along = { ...hold, kind: 'along' as const, since: null };
    const shares = [{ ...hold, holder: 'cy' }];
    const spans = currentSpans(
      [
        { slot: 'a', hold, shares: [] },
        { slot: 'b', hold: along, shares: [] },
        { slot: 'c', hold: { ...along, kind: 'shared' }, shares },
      ],
      NOW,
    );
    expect(spans.map(({ slot, requester, fromMs, toMs, ending }) => [slot, requester, fromMs, toMs, ending])).toEqual([
      ['a', 'ann', NOW - HOUR, NOW, null],
      ['c', 'cy', NOW - HOUR, NOW, null],
    ]);
  });

  test('begins at the edge if it began before, and what ended before is left out', () => {
    const [bars] = lanesOf([held('a', -30, -18), held('a', -40, -25)]);
    expect(bars?.map(({ start, end }) => [start, end])).toEqual([[0, 0.25]]);
  });
});

describe('strips', () => {
  test('are one for each slot, also for free ones, sorted by number', () => {
    const { strips } = timelineOf(['p_0', 'p_10'], [held('p_2', -2, -1)], DAY);
    expect(strips.map(({ slot, lanes }) => [slot, lanes.length])).toEqual([
      ['p_0', 0],
      ['p_2', 1],
      ['p_10', 0],
    ]);
  });

  test('of more than 20 slots are those that were held longest; the others are counted', () => {
    const spans = Array.from({ length: 30 }, (_, i) => held(`p_${i}`, -2 - i / 10, -1));
    const { strips, leftOut } = timelineOf(['p_0', 'p_99'], spans, DAY);
    expect(strips.map(({ slot }) => slot)).toEqual(Array.from({ length: 20 }, (_, i) => `p_${i + 10}`));
    expect(leftOut).toBe(10);
  });
});

describe('lanes', () => {
  test('keep apart what overlaps, as shared holds do, and are used again', () => {
    const lanes = lanesOf([held('a', -10, -6, 'ann'), held('a', -9, -5, 'bob'), held('a', -4, -2, 'cy')]);
    expect(lanes.map((bars) => bars.map(({ spans }) => spans[0]?.requester))).toEqual([['ann', 'cy'], ['bob']]);
  });

  test('are at most 4: what does not fit is joined', () => {
    const lanes = lanesOf(Array.from({ length: 6 }, (_, i) => held('a', -10 + i / 10, -2, `q${i}`)));
    expect(lanes.map((bars) => bars.flatMap(({ spans }) => spans).length)).toEqual([3, 1, 1, 1]);
  });

  test('join neighbors that are too short to be told apart, and leave long ones alone', () => {
    const second = 1 / 3600;
    const short = Array.from({ length: 50 }, (_, i) => held('a', -10 + 2 * i * second, -10 + (2 * i + 1) * second));
    const [bars] = lanesOf([...short, held('a', -9, -8), held('a', -7, -6)]);
    expect(bars?.map(({ spans }) => spans.length)).toEqual([50, 1, 1]);
  });
});

test('the axis has a mark each three hours of a day, and at each midnight of a week', () => {
  const hours = ticksOf({ fromMs: DAY.fromMs + 1, nowMs: NOW }).map((ms) => new Date(ms).getUTCHours());
  expect(hours).toEqual([15, 18, 21, 0, 3, 6, 9]);
  expect(ticksOf({ fromMs: NOW - 7 * 24 * HOUR, nowMs: NOW })).toHaveLength(7);
});
