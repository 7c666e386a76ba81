/**
 * deploy/roll.sh, which updates the instances of docker-compose.yml one after another. A script stands for the
 * engine: it writes down how it is called.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-roll-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** @param refused the command at which the engine fails */
function roll(refused = 'nothing') {
  const engine = `#!/bin/sh
echo "$*" >>"${folder}/calls"
case "$*" in
  *"${refused}"*) exit 1 ;;
  *"ps --quiet api") printf 'one\\ntwo\\nthree\\n' ;;
esac
`;
  writeFileSync(join(folder, 'docker'), engine, { mode: 0o755 });
  const { status } = spawnSync('deploy/roll.sh', { env: { PATH: `${folder}:${process.env.PATH}` } });
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  return { status, calls: calls.map((call) => call.replace('compose --env-file deploy/compose.env ', '')) };
}

test('starts as many new instances as there are, and stops the old ones, one at a time, once the new ones are ready', () => {
  expect(roll()).toEqual({
    status: 0,
    calls: [
      'build api',
      'ps --quiet api',
      'up --detach --wait --no-deps --no-recreate --scale api=6 api',
      'stop one',
      'rm one',
      'stop two',
      'rm two',
      'stop three',
      'rm three',
      'up --detach --wait --no-deps worker',
    ],
  });
});

test('stops nothing if the new instances do not get ready', () => {
  const { status, calls } = roll('--scale');
  expect(status).toBe(1);
  expect(calls.at(-1)).toContain('--scale');
});
