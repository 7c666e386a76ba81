/**
 * Personal notices of bookings (docs/specification.md#personal-notices): which events make one, and what it says.
 */
import { describe, expect, test } from 'vitest';
import { noticesOf, wordsOf } from '../../src/notices/personal.ts';
import type { Happened } from '../../src/notices/sending.ts';
import { MRKDWN, PLAIN } from '../../src/notices/words.ts';
import { happened } from '../support/happened.ts';

const MINUTE = 60_000;
const iso = (fromNow: number) => new Date(Date.now() + fromNow * MINUTE).toISOString();
const [start, end] = [iso(0), iso(60)];
const text = (moment: string) => `${moment.slice(0, 16).replace('T', ' ')} UTC`;
const booking = '018f0000-0000-7000-8000-000000000001';

/** The choice that an event belongs to, and what its message says. */
function told(
  type: Happened['type'],
  fields: Partial<Omit<Happened, 'type'>>,
  style = PLAIN,
): [string, string, string] | null {
  const [notice] = noticesOf(happened(type, { booking, ...fields }));
  if (notice === undefined) return null;
  const words = wordsOf(notice, style);
  return [notice.notice, words.title, words.text];
}

describe('"what I booked begins" says', () => {
  test('that it begins, and until when', () => {
    expect(told('RESERVED', { expiresAt: end })).toEqual([
      'BEGINS',
      'Your booking of staging begins',
      `staging is yours now, until ${text(end)}`,
    ]);
  });

  test('that it is delayed', () => {
    expect(told('BOOKING_DELAYED', { start, end })).toEqual([
      'BEGINS',
      'Your booking of staging is delayed',
      `staging, which you booked from ${text(start)}, is not free yet. You get it as soon as it is, until ${text(end)}`,
    ]);
  });
});

describe('what is booked goes out of service', () => {
  const ann = { requester: 'person:ann@id.example', start, end };
  const bo = { ...ann, requester: 'person:bo@id.example' };
  const out = { requester: null, explanation: 'out', reason: 'display dark', booked: [ann] };

  test('its person is told from when it is booked; why, where notes are shown; and when it is back', () => {
    expect(told('CONDITION', out)).toEqual([
      'BEGINS',
      'staging, which you booked, is out of service',
      `staging, which you booked from ${text(start)}, is out of service. Your booking stays, and is delayed if nothing else is free then`,
    ]);
    expect(told('CONDITION', out, MRKDWN)?.[2]).toContain('is out of service: display dark. Your');
    expect(told('CONDITION', { ...out, explanation: 'ready' })).toEqual([
      'BEGINS',
      'staging, which you booked, is back in service',
      `staging, which you booked from ${text(start)}, is back in service`,
    ]);
  });

  test('each person once, by the first booking; not programs; nobody if it is not booked', () => {
    const later = { ...ann, start: iso(120) };
    const program = { ...ann, requester: 'ci-1' };
    const notices = noticesOf(happened('CONDITION', { ...out, booked: [program, ann, later, bo] }));
    expect(notices.map(({ requester, booked }) => [requester, booked?.start])).toEqual([
      [ann.requester, start],
      [bo.requester, start],
    ]);
    expect(noticesOf(happened('CONDITION', { requester: null, explanation: 'out', reason: null }))).toEqual([]);
  });
});

describe('"it was taken away" says', () => {
  test('who cancelled a booking', () => {
    expect(told('BOOKING_CANCELLED', { start, end, actor: 'person:bob@id.example', explanation: 'CANCELLED' })).toEqual(
      [
        'TAKEN',
        'Your booking of staging is cancelled',
        `bob@id.example cancelled your booking of staging, from ${text(start)} to ${text(end)}`,
      ],
    );
  });

  test('that a booking ended without a slot', () => {
    expect(told('BOOKING_CANCELLED', { start, end, actor: null, explanation: 'NOT_AVAILABLE' })).toEqual([
      'TAKEN',
      'Your booking of staging is cancelled',
      `No slot is free for your booking of staging, from ${text(start)} to ${text(end)}`,
    ]);
  });

  test('nothing of bookings that their person cancels, or that a key cancels in their name', () => {
    const own = { start, end, explanation: 'CANCELLED' } as const;
    expect(told('BOOKING_CANCELLED', { ...own, actor: 'person:ann@id.example' })).toBeNull();
    expect(told('BOOKING_CANCELLED', { ...own, actor: null })).toBeNull();
  });
});
