/**
 * Words for what is out of service or has to be cleaned (docs/specification.md#dashboard-and-sign-in).
 */
import { expect, test } from 'vitest';
import { whatWasDone } from '../../src/dashboard/words/auditSentences.ts';
import { conditionText, conditionWord, countTexts } from '../../src/dashboard/words/conditionWords.ts';

test('a condition is a word of people, with its reason', () => {
  expect(conditionText({ condition: 'out', reason: 'display dark' })).toBe('Out of service · display dark');
  expect(conditionText({ condition: 'dirty', reason: undefined })).toBe('Needs cleaning');
  expect(conditionWord('out')).toBe('out of service');
});

test('a change of a condition is a sentence of the audit trail, with its reason beside it', () => {
  const said = (details: object) => whatWasDone({ action: 'condition.set', details });
  expect(said({ resource: 'pixel-7', condition: 'out', reason: 'display dark' })).toEqual({
    sentence: 'took pixel-7 out of service',
    rest: ['reason: display dark'],
  });
  expect(said({ resource: 'pixel-7', condition: 'ready' }).sentence).toBe('brought pixel-7 back into service');
});

test('a pool says how many of its slots are not ready, and nothing if all are', () => {
  expect(countTexts({ capacity: 6, outOfService: 2, dirty: 1 })).toEqual([
    '2 of 6 out of service',
    '1 of 6 needs cleaning',
  ]);
  expect(countTexts({ capacity: 6, outOfService: 0, dirty: 0 })).toEqual([]);
});
