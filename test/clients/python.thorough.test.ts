/** The tests of the Python client, by pytest and mypy: packages/python. */
import { execFile, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { holdfast, useInstance } from '../support/instance.ts';

/** Debian's: the packages of apt are there. */
const PYTHON = '/usr/bin/python3';
const PACKAGE = resolve('packages/python');
const CACHE = resolve('node_modules/.cache/mypy');

const hasPython = spawnSync(PYTHON, ['-c', 'import anyio, httpx, mypy, pytest']).status === 0;

/** Returns what a module of Python writes: a test that fails says why on stdout. */
async function run(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOLDFAST_URL: holdfast.url, HOLDFAST_KEY: holdfast.key };
  const running = promisify(execFile)(PYTHON, ['-m', ...args], { cwd: PACKAGE, env, timeout: 180_000 });
  return (await running.catch((error: { stdout: string }) => error)).stdout;
}

useInstance();

describe.runIf(hasPython)('the Python client', () => {
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
