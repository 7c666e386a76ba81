/** The Go client: formatted and vetted, and its own tests and examples, against a real service. */
import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { holdfast, useInstance } from '../support/instance.ts';

useInstance();
const cwd = resolve('packages/go/holdfast');
const hasGo = spawnSync('go', ['version']).status === 0;
const hasCompiler = spawnSync('gcc', ['--version']).status === 0;

/** Runs a command in the module. @returns all that it printed. Never rejects, so that the output is the message */
async function run(command: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, HOLDFAST_URL: holdfast.url, HOLDFAST_KEY: holdfast.key };
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  return stdout + stderr;
}

describe.runIf(hasGo)('the Go client', () => {
  test('is formatted', async () => {
    expect(await run('gofmt', '-l', '.')).toBe('');
  });

  test('passes go vet', async () => {
    expect(await run('go', 'vet', './...')).toBe('');
  });

  test('needs the standard library alone', async () => {
    expect(readdirSync(cwd)).not.toContain('go.sum');
    const packages = await run('go', 'list', '-deps', '-f', '{{if not .Standard}}{{.ImportPath}}{{end}}', '.');
    expect(packages.trim()).toMatch(/^\S+\/packages\/go\/holdfast$/);
  });

  test('passes its tests and examples', async () => {
    // The race detector needs a C compiler.
    const detector = hasCompiler ? ['-race'] : [];
    expect(await run('go', 'test', ...detector, '-count=1', '.')).toMatch(/^ok\s/);
  }, 200_000);
});
