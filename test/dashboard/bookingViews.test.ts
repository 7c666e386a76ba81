/**
 * The parts of pages about bookings that need no service: the days of a resource, the form, and the sentences
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { BookingItem, type Conflict } from '../../src/contract/bookings.ts';
import { BookForm, itemOf, suggestedTimes, timesOf, typedTimes } from '../../src/dashboard/bookings/form.ts';
import { daysFrom, freeTimes, weekAt, weekOf } from '../../src/dashboard/bookings/week.ts';
import { labelWords, parseLabels } from '../../src/dashboard/words/labels.ts';
import { momentText, rangeText } from '../../src/dashboard/words/moments.ts';
import { whyNotBooked } from '../../src/dashboard/words/refusalWords.ts';

const ZONE = 'Europe/Berlin';
const ms = (text: string) => Date.parse(text);
const NOW = ms('2026-11-27T12:30:00Z');
const between = (from: string, to: string) => ({ fromMs: ms(from), toMs: ms(to) });
const iso = ({ fromMs, toMs }: { fromMs: number; toMs: number }) =>
  [fromMs, toMs].map((one) => new Date(one).toISOString().slice(0, 16));

describe('labels as words', () => {
  test('are their values; of one without a value, or that says yes or no, its key', () => {
    const labels = { os: 'Android 15', android: 'yes', rooted: 'no', lte: 'True', site: 'notno', spare: '' };
    expect(labelWords(labels)).toEqual(['Android 15', 'android', 'not rooted', 'lte', 'notno', 'spare']);
  });
});

describe('the days of a resource', () => {
  test('are in a week, which a time is in, also at its midnights', () => {
    const midnights = daysFrom(1, ZONE, NOW);
    const [first = 0] = midnights;
    const weeks = [NOW, first - 1, first, midnights.at(-1) ?? 0].map((ms) => weekAt(ms, ZONE, NOW));
    expect(weeks).toEqual([0, 0, 1, 2]);
    expect(weekAt(NOW + 1000 * 86_400_000, ZONE, NOW)).toBe(52);
  });

  const booked = between('2026-11-28T08:00:00Z', '2026-11-28T10:00:00Z');
  const days = weekOf([booked], [[booked]], 0, ZONE, NOW);

  test('begin and end at midnight of the zone, today first, also where the clocks change', () => {
    expect(days).toHaveLength(7);
    expect(iso({ fromMs: days[0]?.fromMs ?? 0, toMs: days[0]?.toMs ?? 0 })).toEqual([
      '2026-11-26T23:00',
      '2026-11-27T23:00',
    ]);
    const [, change] = weekOf([], [[]], 0, ZONE, ms('2026-03-28T12:00:00Z'));
    expect((change?.toMs ?? 0) - (change?.fromMs ?? 0)).toBe(23 * 3_600_000);
  });

  test('have what is booked and the free times between, in order, none of them over', () => {
    const [today, next] = days.map(({ entries }) =>
      entries.map((one) => ('free' in one ? ['free', ...iso(one.free)] : ['booked', ...iso(one.booked)])),
    );
    expect(today).toEqual([['free', '2026-11-27T12:30', '2026-11-27T23:00']]);
    expect(next).toEqual([
      ['free', '2026-11-27T23:00', '2026-11-28T08:00'],
      ['booked', '2026-11-28T08:00', '2026-11-28T10:00'],
      ['free', '2026-11-28T10:00', '2026-11-28T23:00'],
    ]);
  });

  test('suggest nine in the morning for a free time that begins at midnight, else its begin, or a time soon', () => {
    const [now, whole, later] = [days[0]?.entries[0], days[2]?.entries[0], days[1]?.entries[2]];
    expect(now && 'free' in now && now.free.suggestedMs).toBe(ms('2026-11-27T12:45:00Z'));
    expect(whole && 'free' in whole && whole.free.suggestedMs).toBe(ms('2026-11-29T08:00:00Z'));
    expect(later && 'free' in later && later.free.suggestedMs).toBe(booked.toMs);
  });

  test('have a free time as long as one slot of a pool is free', () => {
    const other = between('2026-11-28T09:00:00Z', '2026-11-28T12:00:00Z');
    const [from, to] = [ms('2026-11-28T08:00:00Z'), ms('2026-11-28T12:00:00Z')];
    expect(freeTimes([[booked], [other]], from, to).map(iso)).toEqual([
      ['2026-11-28T08:00', '2026-11-28T09:00'],
      ['2026-11-28T10:00', '2026-11-28T12:00'],
    ]);
  });
});

describe('the form', () => {
  const form = (fields: object) =>
    BookForm.parse({ resource: 'pixel-8', start: '2026-11-28T09:00', end: '2026-11-28T11:00', ...fields });
  const item = (fields: object) => BookingItem.parse(itemOf(form(fields), 'person:bo@lab.example', ZONE));

  test('without a script has times of UTC; a script sends the exact ones', () => {
    expect(item({})).toMatchObject({
      start: ms('2026-11-28T09:00:00Z') / 1000,
      end: ms('2026-11-28T11:00:00Z') / 1000,
    });
    const exact = { startExact: '2026-11-28T08:00:00.000Z', endExact: '2026-11-28T10:00:00.000Z' };
    expect(item(exact)).toMatchObject({ start: ms('2026-11-28T08:00:00Z') / 1000 });
  });

  test('asks for a series in the zone of the browser, on the days that are checked', () => {
    expect(item({ every: 'week', on: ['fri', 'mon'], until: '2026-12-24' })).toMatchObject({
      repeat: { every: 'week', on: ['mon', 'fri'], until: '2026-12-24', timeZone: ZONE },
    });
    expect(() => item({ every: 'week' })).toThrow(/until which day/);
  });

  test('keeps the length when a suggested time is taken', () => {
    const at = String(ms('2026-11-29T07:00:00Z'));
    expect(item({ at })).toMatchObject({
      start: ms('2026-11-29T07:00:00Z') / 1000,
      end: ms('2026-11-29T09:00:00Z') / 1000,
    });
  });

  test('suggests an hour from the next full hour, or from the start of a link', () => {
    const next = suggestedTimes(null, NOW);
    expect(iso({ fromMs: next.startMs, toMs: next.endMs })).toEqual(['2026-11-27T13:00', '2026-11-27T14:00']);
    expect(suggestedTimes(NOW, 0)).toEqual({ startMs: NOW, endMs: NOW + 3_600_000 });
    expect(suggestedTimes(NOW - 59_000.5, 0).startMs).toBe(NOW);
    expect(timesOf(typedTimes(next))).toEqual(next);
  });

  test.each([
    ['no start', { start: '' }, /the start must be/],
    ['no end', { end: '' }, /the end must be/],
    ['an end before its start', { end: '2026-11-28T08:00' }, /must be after the start/],
    ['a suggestion that is no time', { at: 'soon' }, /too far away/],
  ])('says what is wrong: %s', (_, fields, message) => {
    expect(() => item(fields)).toThrow(message);
  });

  test('reads labels, several values of one as any of them', () => {
    expect(parseLabels('os=android, site=berlin,site=oslo')).toEqual({ os: ['android'], site: ['berlin', 'oslo'] });
    expect(() => parseLabels('berlin')).toThrow(/write labels as/);
  });
});

describe('times of sentences', () => {
  test('have the day unless it is today, and say so if they are of UTC', () => {
    expect(momentText(ms('2026-11-27T15:00:00Z'), ZONE, NOW)).toBe('16:00');
    expect(momentText(ms('2026-11-28T15:00:00Z'), 'UTC', NOW)).toBe('Sat 28 Nov, 15:00 UTC');
    expect(rangeText(ms('2026-11-28T08:00:00Z'), ms('2026-11-28T10:00:00Z'), ZONE)).toBe('Sat 28 Nov, 09:00–11:00');
    expect(rangeText(ms('2026-11-28T22:00:00Z'), ms('2026-11-29T01:00:00Z'), ZONE)).toBe(
      'Sat 28 Nov, 23:00 – Sun 29 Nov, 02:00',
    );
  });
});

describe('a conflict says', () => {
  const CONFLICT: Conflict = {
    kind: 'BOOKING',
    slot: 'pixel-8',
    requester: 'bo',
    from: '2026-11-27T15:00:00Z',
    until: '2026-11-27T16:00:00Z',
    note: 'demo',
  };
  const said = (conflict: Partial<Conflict>) =>
    whyNotBooked(
      { status: 'CONFLICT', explanation: 'CONFLICT', resource: 'pixel-8', conflict: { ...CONFLICT, ...conflict } },
      (one) => (one === 'me' ? 'You' : 'Bo'),
      ZONE,
      NOW,
    );

  test.each([
    [
      'whose booking it is, from when until when, and what for',
      {},
      '“pixel-8” is booked by Bo from 16:00 until 17:00 (demo).',
    ],
    [
      'that it is held without an end',
      { kind: 'HOLD', until: null, note: null },
      '“pixel-8” is held by Bo without an end.',
    ],
    [
      'that several share it',
      { kind: 'HOLD', requester: null, note: null },
      '“pixel-8” is held by several who share it until 17:00.',
    ],
    ['that it is one’s own', { requester: 'me', note: null }, '“pixel-8” is booked by you from 16:00 until 17:00.'],
    [
      'the slot of a pool that is free soonest',
      { slot: 'pixel-8_2', note: null },
      'No slot of “pixel-8” is free then: “pixel-8_2” is booked by Bo from 16:00 until 17:00.',
    ],
  ] as const)('%s', (_, conflict, text) => {
    expect(said(conflict)).toBe(text);
  });

  test('what is wrong, if nothing is in the way', () => {
    const one = { status: 'NOT_VALID', explanation: 'NOT_VALID: it is not bookable', resource: 'desk' } as const;
    expect(whyNotBooked(one, String, ZONE, NOW)).toBe('It was not booked: it is not bookable.');
  });
});
