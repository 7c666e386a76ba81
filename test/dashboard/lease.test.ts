/**
 * The times that forms offer (docs/specification.md#reserving-by-hand).
 */
import { describe, expect, test } from 'vitest';
import { leaseChoices } from '../../src/dashboard/actions/lease.ts';
import { atHour } from '../../src/dashboard/zone.ts';
import { DEFAULT_SETTINGS } from '../../src/domain/tenants.ts';

const at = (text: string) => Date.parse(text);
const shown = (limits: object, zone: string | null, now: string) =>
  leaseChoices({ ...DEFAULT_SETTINGS, ...limits }, zone, at(now)).map(
    ({ length, day, endMs }) => `${day}${length || new Date(endMs).toISOString().slice(5, 16)}`,
  );

describe('a form offers six times with “Other”', () => {
  test('three lengths, and the next two times of the day in the zone of the browser', () => {
    expect(shown({}, 'Europe/Berlin', '2026-11-26T13:20:00Z')).toEqual([
      '30 min',
      '1 h',
      '2 h',
      '11-26T16:00',
      'Tonight 11-26T19:00',
    ]);
    expect(shown({}, 'UTC', '2026-11-26T19:40:00Z').slice(3)).toEqual(['Tomorrow 11-27T09:00', 'Tomorrow 11-27T17:00']);
  });

  test('no time of the day that is in the minute of a length', () => {
    expect(shown({}, 'UTC', '2026-11-26T17:59:40Z')).toEqual(['30 min', '1 h', '2 h', 'Tomorrow 11-27T09:00']);
  });

  test('only lengths for a wait: its time begins with the turn', () => {
    expect(shown({}, null, '2026-11-26T13:20:00Z')).toEqual(['30 min', '1 h', '2 h', '4 h', '8 h']);
  });

  test('none that is longer than the tenant allows, and its own default', () => {
    expect(shown({ maxTtlSeconds: 3600 }, 'UTC', '2026-11-26T12:00:00Z')).toEqual(['30 min', '1 h']);
    expect(shown({ maxTtlSeconds: 600 }, 'UTC', '2026-11-26T12:00:00Z')).toEqual(['10 min']);
    expect(shown({ defaultTtlSeconds: 5400 }, 'UTC', '2026-11-26T12:00:00Z')).toContain('1 h 30 min');
  });
});

test('a time of the day is that of the zone, also on the days when clocks change', () => {
  const hour = (day: number, zone: string, now: string) => new Date(atHour(9, day, zone, at(now))).toISOString();
  expect(hour(0, 'Asia/Kolkata', '2026-11-26T20:00:00Z')).toBe('2026-11-27T03:30:00.000Z');
  expect(hour(1, 'Europe/Berlin', '2026-10-24T10:00:00Z')).toBe('2026-10-25T08:00:00.000Z');
  expect(hour(1, 'Europe/Berlin', '2026-03-28T10:00:00Z')).toBe('2026-03-29T07:00:00.000Z');
  expect(hour(0, 'America/New_York', '2026-11-26T02:00:00Z')).toBe('2026-11-25T14:00:00.000Z');
});
