/** The bundle of the GitHub action is what its sources make. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildAction } from '../../integrations/github-action/build.mjs';

test('index.mjs is current; if not, run: npm run build:action', async () => {
  const committed = readFileSync('integrations/github-action/index.mjs', 'utf8');
  expect((await buildAction(false)) === committed).toBe(true);
  expect(committed.length).toBeLessThan(90_000);
});
