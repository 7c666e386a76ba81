/** Since when shares of use count (docs/specification.md#dashboard-and-sign-in). */
import { expect, test } from 'vitest';
import { historySince } from '../../src/operations/insight.ts';

const FRAME = { fromMs: 10_000, toMs: 14_000, stepMs: 1000 };
const since = (heldMs: number[], next: string | null = null) =>
  historySince({ page: async () => ({ entries: [], next }) }, 't', FRAME, heldMs);

test('shares are of the time since the first use, if nothing ended before the time that is shown', async () => {
  expect(await since([0, 0, 500, 0])).toBe(12_000);
  expect([await since([1, 0, 0, 0]), await since([0, 0, 0, 0])]).toEqual([null, null]);
  expect(await since([0, 0, 500, 0], 'more to look at')).toBeNull();
});
