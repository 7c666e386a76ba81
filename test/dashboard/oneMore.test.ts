/**
 * What pages say of one more slot of a pool (docs/specification.md#dashboard-and-sign-in).
 */
import { expect, test } from 'vitest';
import { savedBy, WithOneMore } from '../../src/dashboard/components/trend.tsx';

const said = (waited: number, waitedToday: number, waitedThen: number) => {
  const more = { waited, waitedToday, waitedThen, waitedMs: waited * 60_000, waitedThenMs: waitedThen * 60_000 };
  return [String(WithOneMore({ more, capacity: 2, waiting: 0, days: 7 })), savedBy(more)];
};

test('if the slots of today explain few of the waits, a page says so, and what one more would have saved of these', () => {
  const few =
    'had to wait in the last 7 days, most of them for another reason than its 2 slots, or while it had fewer.';
  expect(said(71, 30, 2)).toEqual([`71 ${few} One more slot would have spared about 29 the wait.`, 29]);
  expect(said(45, 0, 0)).toEqual([`45 ${few} One more slot would have spared nobody the wait.`, 0]);
  expect(said(10, 10, 2)).toEqual([expect.stringMatching(/^With one slot more .* 8 of the 10 that waited/), 8]);
});
