import { expect, test } from 'vitest';
import { linearizability } from './checks/linearizability.ts';
import { shortest } from './report/shortest.ts';
import { show } from './report/show.ts';
import { createStory } from './story.ts';

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
