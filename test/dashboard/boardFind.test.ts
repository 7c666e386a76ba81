/**
 * Which rows of the Board need a look, and what its filters leave (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { countValues, isStale } from '../../src/dashboard/board/find.ts';
import { queryOf } from '../../src/dashboard/board/query.ts';

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
  const labels = new Map([['site', new Map(['berlin', 'paris'].map((site) => [site, 9]))]]);
  const at = (site: string) => ({ node: { labels: { site } } });
  const asked: string[][] = [];
  const counts = countValues(
    'site',
    { labels },
    queryOf(new URLSearchParams('label=site=paris&label=os=ios')),
    (query) => {
      asked.push([...query.labels]);
      return [at('berlin'), at('berlin'), at('lyon'), { node: null }];
    },
  );
  expect(asked).toEqual([['os=ios']]);
  expect([...counts]).toEqual([
    ['berlin', 2],
    ['paris', 0],
  ]);
});
