/** Times of the day as people write them, in the zone of the machine (docs/command-line.md#book). */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { dayAndTime, momentIn } from '../../../packages/client/src/cli/moments.ts';

beforeAll(() => {
  // Clocks go forward on 2026-03-29 from 2:00 to 3:00.
  vi.stubEnv('TZ', 'Europe/Berlin');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** A Tuesday. */
const NOW = () => new Date('2026-11-24T10:30:00+01:00');
const at = (text: string, after = NOW(), now = NOW()) => momentIn(text, 'from', after, now).toISOString();

describe('a time', () => {
  test.each([
    ['without a day is the next one', '11:00', '2026-11-24T10:00:00.000Z'],
    ['without a day that is over today is tomorrow', '9:00', '2026-11-25T08:00:00.000Z'],
    ['of today may be over', 'today 9:00', '2026-11-24T08:00:00.000Z'],
    ['of tomorrow', 'Tomorrow 09:05', '2026-11-25T08:05:00.000Z'],
    ['of a weekday is on the next such day', 'mon 9:00', '2026-11-30T08:00:00.000Z'],
    ['of this weekday is today, if it is to come', 'tuesday 11:00', '2026-11-24T10:00:00.000Z'],
    ['of this weekday is in a week, if it is over', 'tue 9:00', '2026-12-01T08:00:00.000Z'],
    ['of a date', '2026-12-24 9:00', '2026-12-24T08:00:00.000Z'],
    ['with a zone is in it', '2026-12-24T09:00:00-05:00', '2026-12-24T14:00:00.000Z'],
    ['that the clocks skip moves on by the gap', '2027-03-28 2:30', '2027-03-28T01:30:00.000Z'],
  ])('%s', (_, text, expected) => {
    expect(at(text)).toBe(expected);
  });

  test('of an end without a day is the first one after the start', () => {
    const start = new Date('2026-11-30T22:00:00+01:00');
    expect(at('23:00', start)).toBe('2026-11-30T22:00:00.000Z');
    expect(at('1:00', start)).toBe('2026-12-01T00:00:00.000Z');
  });

  test.each(['', '9', '25:00', '9:60', 'someday 9:00', '2026-02-30 9:00', '2026-13-01 9:00', 'tomorrow', '9:00 pm'])(
    'is none of %j',
    (text) => {
      expect(() => at(text)).toThrow('--from is a time such as');
    },
  );

  test('is shown with its weekday', () => {
    expect(dayAndTime('2026-11-24T08:00:00.000Z')).toBe('tue 2026-11-24 09:00');
  });
});
