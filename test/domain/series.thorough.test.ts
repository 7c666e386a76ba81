/**
 * Series of bookings over ten years (docs/specification.md#series).
 */
import { expect, test } from 'vitest';
import { compareSeries } from '../support/luxonSeries.ts';

test('10,000 random series are as another library has them', () => {
  const seed = Date.now() % 2 ** 31;
  expect({ seed, different: compareSeries(seed, 10_000) }).toEqual({ seed, different: [] });
}, 120_000);
