/**
 * What people type in Slack, and how it is read (docs/specification.md#reserving-from-slack).
 */
import { describe, expect, test } from 'vitest';
import { durationOf, durationText } from '../../src/domain/durations.ts';
import { escapeSlack, slackTime, unescapeSlack } from '../../src/domain/slackText.ts';
import { buttonValue, commandOf, parseCommand } from '../../src/slack/command.ts';

describe('a command', () => {
  test('begins with a verb, in any case; nothing is help', () => {
    expect(['', '  ', 'help', 'LINK', 'mine extra'].map(parseCommand)).toEqual([
      { verb: 'help' },
      { verb: 'help' },
      { verb: 'help' },
      { verb: 'link' },
      { verb: 'mine' },
    ]);
    expect(parseCommand('staging 2h')).toEqual({ fault: 'There is no command “staging”.' });
    expect(parseCommand('release release')).toEqual({ verb: 'release', resource: 'release' });
  });

  test('reserves with a time and a note, which are optional', () => {
    expect(parseCommand('reserve staging')).toEqual({ verb: 'reserve', resource: 'staging' });
    expect(parseCommand('reserve staging 2h')).toEqual({ verb: 'reserve', resource: 'staging', seconds: 7200 });
    expect(parseCommand('reserve staging 2h release 1.4')).toEqual({
      verb: 'reserve',
      resource: 'staging',
      seconds: 7200,
      note: 'release 1.4',
    });
    expect(parseCommand('reserve staging release 2h "a"')).toEqual({
      verb: 'reserve',
      resource: 'staging',
      note: 'release 2h "a"',
    });
    expect(parseCommand('reserve staging "2h"')).toEqual({ verb: 'reserve', resource: 'staging', note: '2h' });
  });

  test('takes names with spaces in quotes, straight or curly', () => {
    for (const name of ['"big printer"', '“big printer”'])
      expect(parseCommand(`extend ${name} 30m`)).toEqual({ verb: 'extend', resource: 'big printer', seconds: 1800 });
    expect(parseCommand('who big printer')).toEqual({
      fault: 'Names with spaces need quotes: `who "big …"`.',
    });
    expect(parseCommand('release "big printer')).toEqual({ fault: 'A quote is not closed.' });
    expect(parseCommand('who 5"disk')).toEqual({ verb: 'who', resource: '5"disk' });
  });

  test('needs a resource, and a time that is one', () => {
    for (const verb of ['who', 'release', 'extend', 'reserve'])
      for (const name of ['', ' ""'])
        expect(parseCommand(verb + name)).toEqual({ fault: `Say the name of the resource: \`${verb} staging\`.` });
    expect(parseCommand('extend staging soon')).toEqual({
      fault: '“soon” is no time: write `30m`, `2h`, `1h30m` or `1d`.',
    });
    expect(parseCommand('reserve staging 0h')).toEqual({ fault: 'The time must be more than nothing.' });
  });

  test('is read as it was typed: Slack escapes it', () => {
    expect(parseCommand('who lab&gt;R&amp;D')).toEqual({ verb: 'who', resource: 'lab>R&D' });
    expect(parseCommand('reserve staging for <@U123|ann> <https://ci.example/1>')).toMatchObject({
      note: 'for @ann https://ci.example/1',
    });
  });
});

test('times are days, hours, minutes and seconds, in this order', () => {
  expect(['2h', '30m', '30min', '1h30m', '1d', '90s', '1D2H'].map(durationOf)).toEqual([
    7200, 1800, 1800, 5400, 86_400, 90, 93_600,
  ]);
  expect(['', 'h', '2', '30m1h', '2hours', '-1h', '1.5h', '2h '].map(durationOf)).toEqual(Array(8).fill(null));
  const lengths = [0, 90, 300, 5400, 86_400, 93_600, 31_536_000];
  expect(lengths.map(durationText)).toEqual(['0s', '1m30s', '5m', '1h30m', '1d', '1d2h', '365d']);
  expect(lengths.map((one) => durationOf(durationText(one)))).toEqual(lengths);
});

test('a button carries its command, whatever the name is', () => {
  for (const command of [{ verb: 'reserve', resource: '"}\\“ <&>', seconds: 60, note: 'x' }, { verb: 'mine' }] as const)
    expect(commandOf(buttonValue(command))).toEqual(command);
  expect(['', '{', '{}', '{"verb":"reset"}', '{"verb":"who"}'].map(commandOf)).toEqual(Array(5).fill(null));
});

describe('a name in a message', () => {
  test('mentions nobody: Slack’s characters are escaped, and a long name is cut', () => {
    expect(escapeSlack('<!channel> & <@U1>')).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;');
    expect(escapeSlack('<<<<<', 4)).toBe('&lt;&lt;&lt;…');
    expect(escapeSlack('👍👍👍', 3)).toBe('👍👍👍');
    expect(unescapeSlack(escapeSlack('&amp; <a|b> &lt;'))).toBe('&amp; <a|b> &lt;');
  });

  test('times are shown in the zone of the reader', () => {
    expect(slackTime('2026-11-26T18:05:09.500Z')).toBe(
      '<!date^1795716309^{date_short_pretty} {time}|2026-11-26 18:05 UTC>',
    );
  });
});
