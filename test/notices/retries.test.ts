/**
 * When a delivery that failed is tried again (docs/specification.md#subscriptions).
 */
import { describe, expect, test } from 'vitest';
import { pauseMs } from '../../src/notices/retries.ts';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

describe('the pause after a failure', () => {
  test('is 5 s, 30 s, 2 min, 10 min, 1 h, and then always 2 h', () => {
    const planned = Array.from({ length: 8 }, (_, i) => pauseMs(i + 1, 0, 0.5));
    expect(planned).toEqual([5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 2 * HOUR, 2 * HOUR, 2 * HOUR]);
  });

  test('is up to 20 % shorter or longer', () => {
    expect([pauseMs(1, 0, 0), pauseMs(1, 0, 1)]).toEqual([4000, 6000]);
  });

  test('is longer if the receiver asks for it by Retry-After: up to 2 h, never shorter', () => {
    expect(pauseMs(1, MINUTE, 0.5)).toBe(MINUTE);
    expect(pauseMs(2, SECOND, 0.5)).toBe(30 * SECOND);
    expect(pauseMs(1, 100 * HOUR, 0.5)).toBe(2 * HOUR);
  });
});
