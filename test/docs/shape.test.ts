/** Examples are compared by shape. */
import { describe, expect, test } from 'vitest';
import { jsonDifference, textDifference } from './shape.ts';

describe('JSON', () => {
  test.each([
    ['{"a":1,"b":"x"}', '{"a":2,"b":"x"}'],
    ['{"at":"2026-01-31T12:01:00.000Z"}', '{"at":"2027-11-01T02:03:04.567Z"}'],
    ['{"id":"05b2bb2c-34c7-4729-9651-f53e4666132e"}', '{"id":"15b2bb2c-34c7-7729-9651-f53e46661320"}'],
    ['{"a":1, ...}', '{"a":1,"b":2}'],
    ['[{"a":1}, ...]', '[{"a":1},{"b":1}]'],
    ['{"a":"one ... two"}', '{"a":"one or two"}'],
  ])('%s may stand for %s', (shown, printed) => {
    expect(jsonDifference(shown, printed)).toBe(null);
  });

  test.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":"x"}', '{"a":"y"}'],
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"a":1,"b":null, ...}', '{"a":1,"c":2}'],
    ['[1]', '[1,2]'],
    ['{"a":true}', '{"a":false}'],
    ['{"a":null}', '{"a":"x"}'],
  ])('%s may not stand for %s', (shown, printed) => {
    expect(jsonDifference(shown, printed)).not.toBe(null);
  });
});

test('text is compared without what differs from run to run', () => {
  expect(
    textDifference('held until 2026-01-31T12:01:00Z ... end', 'held until 2027-01-31T12:01:00Z by\nme end\n'),
  ).toBe(null);
  expect(textDifference('NAME    FOR\nbuild-7-4711-jratyybd    29s', 'NAME  FOR\nvm-9-a2cdefgh  1m5s')).toBe(null);
  expect(textDifference('2 ahead', '3 ahead')).not.toBe(null);
});
