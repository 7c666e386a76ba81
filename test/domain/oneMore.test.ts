/** What one more slot of a pool would have saved (docs/specification.md#dashboard-and-sign-in). */
import { expect, test } from 'vitest';
import { withOneMore } from '../../src/domain/oneMore.ts';

const MIN = 60_000;
const held = (from: number, to: number, waited = 0, slots = 1) => ({
  reservedAt: from * MIN,
  endedAt: to * MIN,
  waitedMs: waited === 0 ? null : waited * MIN,
  slots: Array.from({ length: slots }, (_, i) => `s_${i}`),
});

test('who waited for the only slot would have had the second one at once', () => {
  const more = withOneMore([held(0, 60), held(60, 90, 50)], 1);
  expect(more).toEqual({ waited: 1, waitedMs: 50 * MIN, waitedToday: 1, waitedThen: 0, waitedThenMs: 0 });
});

test('with two who wait, the second waits for the first of both to end', () => {
  const more = withOneMore([held(0, 60), held(60, 90, 60), held(90, 120, 90)], 1);
  expect(more).toEqual({ waited: 2, waitedMs: 150 * MIN, waitedToday: 2, waitedThen: 1, waitedThenMs: 30 * MIN });
});

test('a request for several slots waits for all of them', () => {
  const more = withOneMore([held(0, 60), held(0, 30), held(60, 90, 50, 2)], 2);
  expect(more).toMatchObject({ waited: 1, waitedMs: 50 * MIN, waitedThen: 1, waitedThenMs: 20 * MIN });
});

test('a wait that came to nothing counts, for as long as others held theirs', () => {
  const gone = { reservedAt: null, endedAt: 40 * MIN, waitedMs: 30 * MIN, slots: [] };
  expect(withOneMore([held(0, 60), gone], 1)).toMatchObject({ waited: 1, waitedThen: 0 });
});

test('nobody waited, so nothing is saved', () => {
  expect(withOneMore([held(0, 60)], 1)).toEqual({
    waited: 0,
    waitedMs: 0,
    waitedToday: 0,
    waitedThen: 0,
    waitedThenMs: 0,
  });
});

test('the slots of today explain no wait of a time when there were fewer', () => {
  const past = [held(0, 60), held(60, 90, 50)];
  expect(withOneMore(past, 2)).toMatchObject({ waited: 1, waitedToday: 0, waitedThen: 0 });
});
