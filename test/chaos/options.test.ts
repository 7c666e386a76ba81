import { expect, test } from 'vitest';
import { readOptions } from './options.ts';

test('--help prints the options, the setups and the faults', () => {
  const help = readOptions(['--help']);
  expect(help).toMatchObject({
    exitCode: 0,
    text: expect.stringMatching(/--setup .*\n(.*\n)*Setups: always, .*\nFaults: kill-instance, /),
  });
});

test.each([
  [['--unknown'], /^Unknown option '--unknown'/],
  [['--setup', 'none', '--setup', 'nowhere'], /^there is no nowhere/],
  [['--fault', 'nothing'], /^there is no nothing/],
  [['--minutes', 'ten'], /^--minutes must be a number/],
])('%j is refused with what is wrong, and the help', (args, why) => {
  expect(readOptions(args)).toMatchObject({ exitCode: 2, text: expect.stringMatching(why) });
});

test('options have defaults', () => {
  const options = readOptions(['--seed', '7', '--setup', 'cluster']);
  expect(options).toMatchObject({ minutes: 10, seconds: 60, seed: 7, callers: 12, setups: [{ name: 'cluster' }] });
});
