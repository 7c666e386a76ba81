/** The tests of the Python client, by pytest and mypy: packages/python. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { holdfast, useInstance } from '../support/instance.ts';
import { python } from '../support/languages.ts';
import { CACHE, PACKAGE } from '../support/python.ts';

/** Returns what a module of Python writes: a test that fails says why on stdout. */
async function run(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOLDFAST_URL: holdfast.url, HOLDFAST_KEY: holdfast.key };
  const running = promisify(execFile)(python.path(), ['-m', ...args], { cwd: PACKAGE, env, timeout: 180_000 });
  return (await running.catch((error: { stdout: string }) => error)).stdout;
}

useInstance();

// One mostly waits, the other takes a core.
describe.concurrent('the Python client', () => {
  test('passes its tests', async () => {
    const output = await run('pytest', '-q', '-p', 'no:cacheprovider');
    expect(output).toMatch(/\d+ passed/);
    expect(output).not.toMatch(/ (failed|errors?)\b/);
  }, 200_000);

  test('has types that mypy --strict accepts', async () => {
    const files = ['src', 'tests', 'conform.py', 'conform_async.py'];
    expect(await run('mypy', '--strict', `--cache-dir=${CACHE}`, ...files)).toMatch(/^Success/);
  }, 200_000);
});
