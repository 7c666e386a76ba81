/**
 * Personal notices of bookings (docs/specification.md#personal-notices): which events make one, and what it says.
 */
import { describe, expect, test } from 'vitest';
import { noticeOf, wordsOf } from '../../src/notices/personal.ts';
import type { Happened } from '../../src/notices/sending.ts';
import { PLAIN } from '../../src/notices/words.ts';
import { happened } from '../support/happened.ts';

const MINUTE = 60_000;
const iso = (fromNow: number) => new Date(Date.now() + fromNow * MINUTE).toISOString();
const [start, end] = [iso(0), iso(60)];
const text = (moment: string) => `${moment.slice(0, 16).replace('T', ' ')} UTC`;
const booking = '018f0000-0000-7000-8000-000000000001';

/** The choice that an event belongs to, and what its message says. */
function told(type: Happened['type'], fields: Partial<Omit<Happened, 'type'>>): [string, string, string] | null {
  const notice = noticeOf(happened(type, { booking, ...fields }));
  if (notice === null) return null;
  const words = wordsOf(notice, PLAIN);
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
