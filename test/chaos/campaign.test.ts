import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linearizability } from './checks/linearizability.ts';
import { readOptions } from './options.ts';
import { MISTAKES, plantsOf } from './planted/mistakes.ts';
import { show } from './report/show.ts';
import { shortest } from './report/table.ts';
import { ROOT } from './setups/service.ts';
import { createStory } from './story.ts';

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

test('the report of a violation has the calls that show it, and no others', () => {
  const story = createStory();
  for (let i = 0; i < 200; i++) story.release(story.acquire(`ann-${i}`, `n${i % 6}`));
  story.acquire('ann-900', 'n4', { ttlSeconds: 60 });
  story.acquire('bob-900', 'n4');
  for (let i = 300; i < 400; i++) story.release(story.acquire(`ann-${i}`, `n${i % 3}`));
  const history = story.history();
  const [violation] = linearizability.run(history).violations;
  if (!violation) throw new Error('there is no violation');

  const text = show(shortest(history, violation), violation);

  expect(text.split('\n').filter((line) => line.includes(' → '))).toEqual([
    expect.stringContaining('reserve n4 ann-900 ttl 60 s → ACQUIRED'),
    expect.stringContaining('reserve n4 bob-900 → ACQUIRED'),
  ]);
  expect(text).toContain('npm run chaos -- --setup story --seed story');
  expect(text).toContain('event RESERVED n4 bob-900 ACQUIRED');
});

test.each(MISTAKES)('the mistake $name can be planted: its texts stand in their files once', (mistake) => {
  for (const { file, find } of plantsOf(mistake)) {
    expect(readFileSync(join(ROOT, file), 'utf8').split(find), `${file}: ${find}`).toHaveLength(2);
  }
});
