/** The Go client: formatted and vetted, and its own tests and examples, against a real service. */
import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { holdfast, useInstance } from '../support/instance.ts';
import { go } from '../support/languages.ts';

useInstance();
const cwd = resolve('packages/go/holdfast');
const GO = go.path();
/** The race detector needs a C compiler. Without a cache, it takes half a minute of CPU to compile with it. */
const isNight = process.env.RACES !== undefined;
const isRaced = isNight && spawnSync('gcc', ['--version']).status === 0;

/** Runs a command in the module. @returns all that it printed. Never rejects, so that the output is the message */
async function run(command: string, ...args: readonly string[]): Promise<string> {
  // Without C, as other tests build it: the standard library is compiled once.
  const env = {
    ...process.env,
    CGO_ENABLED: isRaced ? '1' : '0',
    HOLDFAST_URL: holdfast.url,
    HOLDFAST_KEY: holdfast.key,
  };
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env }).catch(
    // Of a command that was killed, or never began, the message alone says so.
    (error: { readonly stdout: string; readonly stderr: string; readonly message: string }) => ({
      stdout: error.stdout,
      stderr: error.stderr || error.message,
    }),
  );
  return stdout + stderr;
}

test('is formatted', async () => {
  expect(await run(join(dirname(GO), 'gofmt'), '-l', '.')).toBe('');
});

test('passes go vet', async () => {
  expect(await run(GO, 'vet', './...')).toBe('');
});

test('needs the standard library alone', async () => {
  expect(readdirSync(cwd)).not.toContain('go.sum');
  const packages = await run(GO, 'list', '-deps', '-f', '{{if not .Standard}}{{.ImportPath}}{{end}}', '.');
  expect(packages.trim()).toMatch(/^\S+\/packages\/go\/holdfast$/);
});

test('passes its tests and examples', async () => {
  const detector = isRaced ? ['-race'] : [];
  expect(await run(GO, 'test', ...detector, '-count=1', '.')).toMatch(/^ok\s/);
}, 200_000);
