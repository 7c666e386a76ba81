/**
 * Events in words (docs/specification.md#slack, #e-mail): the names and notes in them are chosen by callers.
 */
import { describe, expect, test } from 'vitest';
import { Event } from '../../src/contract/events.ts';
import { MRKDWN, PLAIN, sentenceOf, titleOf } from '../../src/notices/words.ts';
import { happened } from '../support/happened.ts';

const expiresAt = '2026-01-31T14:00:00.000Z';
const gap = (missed: number | null) =>
  ({ type: 'GAP', id: 'g', tenantId: 'acme', timestamp: expiresAt, missed }) as const;

describe('a sentence', () => {
  test('says who has what, until when and what for', () => {
    const event = happened('RESERVED', { expiresAt, note: 'release 1.4' });
    expect(sentenceOf(event, PLAIN)).toBe('ann@id.example reserved staging until 2026-01-31 14:00 UTC');
    expect(sentenceOf(event, MRKDWN)).toBe(
      'ann@id.example reserved staging until <!date^1769868000^{date_short_pretty} {time}|2026-01-31 14:00 UTC>: release 1.4',
    );
  });

  test('names who took something away', () => {
    expect(sentenceOf(happened('UNRESERVED', { actor: 'person:bob@id.example' }), PLAIN)).toBe(
      'bob@id.example released staging, which ann@id.example held',
    );
    expect(sentenceOf(happened('UNRESERVED', { actor: 'person:ann@id.example' }), PLAIN)).toBe(
      'ann@id.example released staging',
    );
  });

  test('says from when to when something is booked, and who else did it', () => {
    const times = { start: '2026-01-31T09:00:00.000Z', end: '2026-01-31T11:00:00.000Z' };
    const span = 'from 2026-01-31 09:00 UTC to 2026-01-31 11:00 UTC';
    const said = (type: Event['type'], actor: string | null) => sentenceOf(happened(type, { ...times, actor }), PLAIN);
    expect(said('BOOKED', 'person:ann@id.example')).toBe(`ann@id.example booked staging ${span}`);
    expect(said('BOOKING_CANCELLED', 'person:bob@id.example')).toBe(
      `The booking of staging by ann@id.example ${span} is cancelled, by bob@id.example`,
    );
    expect(said('BOOKING_DELAYED', null)).toBe(`ann@id.example booked staging ${span}, and it is not free yet`);
  });

  test('names some resources of a transaction, each once', () => {
    const changes = ['a', 'b', 'a', 'c', 'd'].map((resource) => ({
      ...({ resource, requester: 'r', requestType: 'RESERVE', explanation: 'ACQUIRED' } as const),
    }));
    const event = happened('TRANSACTION_APPLIED', { changes, resource: null, requester: null });
    expect(sentenceOf(event, PLAIN)).toBe('A transaction changed a, b, c and 1 more');
  });

  test('tells how many events are missing', () => {
    expect(sentenceOf(gap(12), PLAIN)).toBe('12 events are missing');
    expect(sentenceOf(gap(null), PLAIN)).toBe('Some events are missing');
  });

  test.each(Event.shape.type.options)('of %s is no bare name of its type', (type) => {
    const changes = [{ resource: 'a', requester: 'r', requestType: 'RESERVE', explanation: 'ACQUIRED' } as const];
    expect(sentenceOf(happened(type, { changes }), PLAIN)).not.toBe(type);
  });
});

describe('in Slack', () => {
  test('names and notes mention nobody and make no link', () => {
    const event = happened('RESERVED', { resource: '<!channel> & <@U1>', note: '<https://evil.example|Click>' });
    expect(sentenceOf(event, MRKDWN)).toBe(
      'ann@id.example reserved &lt;!channel&gt; &amp; &lt;@U1&gt;: &lt;https://evil.example|Click&gt;',
    );
  });
});

describe('in e-mail', () => {
  test('there are no notes and no reasons', () => {
    expect(sentenceOf(happened('RESERVED', { note: 'secret' }), PLAIN)).not.toContain('secret');
    const event = happened('CONDITION', { explanation: 'out', reason: 'secret' });
    expect(sentenceOf(event, PLAIN)).toBe('staging is out of service');
    expect(sentenceOf(event, MRKDWN)).toBe('staging is out of service: secret');
  });

  test('there are no control or format characters, and names make no links', () => {
    const event = happened('UNRESERVED', { resource: 'a\u202eb\u2028c\u0007https://evil.example' });
    expect(sentenceOf(event, PLAIN)).toBe('ann@id.example released abchttps: //evil.example');
  });

  test('a long name is shortened', () => {
    const sentence = sentenceOf(happened('UNRESERVED', { resource: '🔒'.repeat(256) }), PLAIN);
    expect(sentence).toBe(`ann@id.example released ${'🔒'.repeat(119)}…`);
  });
});

describe('the title of several changes', () => {
  test('counts them, without what is missing', () => {
    expect(titleOf([happened('RESERVED'), happened('UNRESERVED'), gap(3)])).toBe('2 changes');
    expect(titleOf([happened('RESERVED'), gap(3)])).toBe('1 change');
  });
});
