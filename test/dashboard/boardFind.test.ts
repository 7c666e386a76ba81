/**
 * Which rows of the Board need a look, and what its filters leave (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { countValues, isStale, leftOutByOne } from '../../src/dashboard/board/find.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-01-31T12:00:00Z');
const held = (hours: number) => ({ sinceMs: NOW - hours * HOUR, untilMs: null, hasSession: false });

describe('a reservation needs a look', () => {
  test('if it has no end and is older than 8 hours', () => {
    expect(isStale(held(7.9), 0, NOW)).toBe(false);
    expect(isStale(held(8.1), 0, NOW)).toBe(true);
  });

  test('after an hour while somebody waits for the resource', () => {
    expect(isStale(held(0.9), 1, NOW)).toBe(false);
    expect(isStale(held(1.1), 1, NOW)).toBe(true);
  });

  test('not if it ends by itself or with its session', () => {
    expect(isStale({ ...held(100), untilMs: NOW + HOUR }, 1, NOW)).toBe(false);
    expect(isStale({ ...held(100), hasSession: true }, 1, NOW)).toBe(false);
  });
});

test('the menu of a label key counts what the filters by other keys leave', () => {
  const at = (site: string, os: string) => ({ node: { labels: { site, os } } });
  const rows = [at('berlin', 'ios'), at('berlin', 'ios'), at('berlin', 'android'), at('lyon', 'ios'), { node: null }];
  const leftOut = leftOutByOne(rows, ['site=paris', 'os=ios']).get('site') ?? [];
  const counts = countValues([at('paris', 'ios'), ...leftOut.map(({ row }) => row)], 'site', [
    'berlin',
    'paris',
    'oslo',
  ]);
  expect([...counts]).toEqual([
    ['berlin', 2],
    ['paris', 1],
    ['oslo', 0],
  ]);
});
