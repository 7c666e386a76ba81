/**
 * Series of bookings, in the wall-clock time of a zone (docs/specification.md#series).
 */
import { describe, expect, test } from 'vitest';
import { occurrences, type Series } from '../../src/domain/series.ts';
import { isTimeZone } from '../../src/domain/timeZones.ts';
import { compareSeries } from '../support/luxonSeries.ts';

const seconds = (text: string) => Date.parse(text) / 1000;
/** Lists the occurrences as texts: `2026-03-28T08:00Z 1 h`. */
const shown = (start: string, end: string, series: Series, most = 200) =>
  occurrences(seconds(start), seconds(end), series, most).map(
    (one) => `${new Date(one.start * 1000).toISOString().slice(0, 16)}Z ${(one.end - one.start) / 3600} h`,
  );
const days = (starts: readonly string[]) => starts.map((start) => start.slice(5, 10)).join(' ');

describe('an occurrence', () => {
  test('has the wall-clock times of the first one, before and after the clocks change', () => {
    const berlin = { every: 'week', until: '2026-11-02', timeZone: 'Europe/Berlin' } as const;
    expect(shown('2026-10-19T07:00:00Z', '2026-10-19T08:00:00Z', berlin)).toEqual([
      '2026-10-19T07:00Z 1 h',
      '2026-10-26T08:00Z 1 h',
      '2026-11-02T08:00Z 1 h',
    ]);
    const newYork = { every: 'day', until: '2026-03-09', timeZone: 'America/New_York' } as const;
    expect(shown('2026-03-07T14:00:00Z', '2026-03-07T15:00:00Z', newYork)).toEqual([
      '2026-03-07T14:00Z 1 h',
      '2026-03-08T13:00Z 1 h',
      '2026-03-09T13:00Z 1 h',
    ]);
  });

  test('is longer or shorter if the clocks change between its start and its end', () => {
    const night = { every: 'week', until: '2026-10-25', timeZone: 'Europe/Berlin' } as const;
    expect(shown('2026-10-17T20:00:00Z', '2026-10-18T04:00:00Z', night)).toEqual([
      '2026-10-17T20:00Z 8 h',
      '2026-10-24T20:00Z 9 h',
    ]);
  });

  test('moves on by the gap if the clocks skip its time', () => {
    const berlin = { every: 'day', until: '2026-03-30', timeZone: 'Europe/Berlin' } as const;
    expect(shown('2026-03-28T01:30:00Z', '2026-03-28T05:00:00Z', berlin)).toEqual([
      '2026-03-28T01:30Z 3.5 h',
      '2026-03-29T01:30Z 2.5 h',
      '2026-03-30T00:30Z 3.5 h',
    ]);
    // The clocks of this island change by half an hour.
    const island = { every: 'day', until: '2026-10-05', timeZone: 'Australia/Lord_Howe' } as const;
    expect(shown('2026-10-02T15:45:00Z', '2026-10-02T20:30:00Z', island)).toEqual([
      '2026-10-02T15:45Z 4.75 h',
      '2026-10-03T15:45Z 4.25 h',
      '2026-10-04T15:15Z 4.75 h',
    ]);
  });

  test('takes the first of two times if it comes twice', () => {
    const newYork = { every: 'day', until: '2026-11-02', timeZone: 'America/New_York' } as const;
    expect(shown('2026-10-31T05:30:00Z', '2026-10-31T07:00:00Z', newYork)).toEqual([
      '2026-10-31T05:30Z 1.5 h',
      '2026-11-01T05:30Z 2.5 h',
      '2026-11-02T06:30Z 1.5 h',
    ]);
  });

  test('may be over midnight, and on a leap day', () => {
    const night = { every: 'day', until: '2028-03-01', timeZone: 'Asia/Tokyo' } as const;
    expect(shown('2028-02-28T13:00:00Z', '2028-02-28T21:00:00Z', night)).toEqual([
      '2028-02-28T13:00Z 8 h',
      '2028-02-29T13:00Z 8 h',
      '2028-03-01T13:00Z 8 h',
    ]);
  });
});

describe('the days of a series', () => {
  const utc = { every: 'week', until: '2026-12-06', timeZone: 'UTC' } as const;
  const from = (start: string, series: Series, most?: number) =>
    days(shown(`${start}T10:00:00Z`, `${start}T11:00:00Z`, series, most));

  test('are the weekday of the start each week, or all days, unless it names weekdays', () => {
    expect(from('2026-11-24', utc)).toBe('11-24 12-01');
    expect(from('2026-11-29', { ...utc, every: 'day' })).toBe('11-29 11-30 12-01 12-02 12-03 12-04 12-05 12-06');
    expect(from('2026-11-24', { ...utc, on: ['sun', 'mon'] })).toBe('11-29 11-30 12-06');
    expect(from('2026-11-24', { ...utc, every: 'day', on: ['wed', 'wed'] })).toBe('11-25 12-02');
  });

  test('end with the last one, which is included', () => {
    expect(from('2026-11-24', { ...utc, until: '2026-11-24' })).toBe('11-24');
    expect(from('2026-11-24', { ...utc, until: '2026-11-23' })).toBe('');
  });

  test('are those of the zone', () => {
    const kiritimati = { ...utc, on: ['thu'], until: '2026-11-26', timeZone: 'Pacific/Kiritimati' } as const;
    expect(from('2026-11-24', kiritimati)).toBe('11-25');
    expect(from('2026-11-24', { ...kiritimati, until: '2026-11-25' })).toBe('');
  });

  test('are looked for one by one no further than the wanted ones, also before 1970', () => {
    const series = { ...utc, on: ['tue'], until: '9999-12-31' } as const;
    expect(from('1969-12-22', series, 1)).toBe('12-23 12-30');
  });

  test('are one more than wanted if there are more', () => {
    expect(from('2026-11-24', { ...utc, every: 'day', until: '9999-12-31' }, 2)).toBe('11-24 11-25 11-26');
    expect(from('2026-11-24', { ...utc, every: 'day', until: '2026-11-25' }, 2)).toBe('11-24 11-25');
  });
});

test('a time zone has a name of the IANA database', () => {
  const valid = ['Europe/Berlin', 'europe/berlin', 'UTC', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires'];
  expect(valid.filter((name) => !isTimeZone(name))).toEqual([]);
  const wrong = ['', 'Europe/Bonn', '+01:00', '-05', 'Z', '2026-01-01[UTC]', 'Europe/Berlin ', 'x'.repeat(100)];
  expect(wrong.filter(isTimeZone)).toEqual([]);
});

test('random series are as another library has them', () => {
  expect(compareSeries(1, 20)).toEqual([]);
});
