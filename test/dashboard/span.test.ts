/**
 * How pages of the dashboard write durations and relative times.
 */
import { describe, expect, test } from 'vitest';
import { relative, span } from '../../src/dashboard/assets/span.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a duration', () => {
  test.each([
    [-5000, '0 s'],
    [0, '0 s'],
    [59_999, '59 s'],
    [12 * MINUTE, '12 min'],
    [HOUR, '1 h'],
    [2 * HOUR + 5 * MINUTE, '2 h 5 min'],
    [DAY + 23 * HOUR, '1 d 23 h'],
    [3 * DAY, '3 d'],
    [20 * DAY + HOUR, '20 d'],
  ])('of %i ms is %s', (ms, text) => {
    expect(span(ms)).toBe(text);
  });

  test('is seen from now', () => {
    expect(relative('since', 0, 12 * MINUTE)).toBe('12 min');
    expect(relative('in', 12 * MINUTE, 0)).toBe('12 min');
    expect(relative('ago', 0, 12 * MINUTE)).toBe('12 min ago');
    expect(relative('ago', 12 * MINUTE, 0)).toBe('in 12 min');
  });
});
