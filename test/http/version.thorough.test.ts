/**
 * GET /version and the dashboard's menu of the person: the version and the commit that run. Also the
 * command line of a build.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildOf } from '../../scripts/buildOf.ts';
import { ask } from '../support/ask.ts';
import { startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));

const versionAt = (url: string) => fetch(`${url}/version`).then((response) => response.json());

test('in a development tree the version is that of package.json with -dev; anybody may read it, of workers too', async () => {
  for (const ROLE of ['api', 'worker']) {
    const holdfast = await startInstance({ env: { ROLE } });
    expect([ROLE, await versionAt(holdfast.url)]).toEqual([ROLE, { version: `${version}-dev`, commit: null }]);
    await holdfast.stop();
  }
});

test('the menu of the person on the dashboard shows it', async () => {
  const holdfast = await startInstance();
  const { cookie } = await signIn(holdfast.redis, holdfast.tenant);
  const { text } = await ask(`${holdfast.url}/dashboard`, { headers: { Cookie: cookie } });
  expect(text).toMatch(new RegExp(`<div id="me"[^>]*>(?:(?!</div>)[^])*Holdfast ${version}-dev`));
  await holdfast.stop();
});

/** Returns the address of an instance, from its log. */
async function addressOf(instance: ReturnType<typeof spawn>): Promise<string> {
  if (instance.stdout === null) throw new Error('the instance has no output');
  for await (const line of createInterface(instance.stdout)) {
    const { url } = z.looseObject({ url: z.string().optional() }).parse(JSON.parse(line));
    if (url !== undefined) return url;
  }
  throw new Error('the instance ended');
}

/** Builds the service in a folder, and returns what an instance of it says at GET /version. */
async function builtIn(folder: string, variables: Readonly<Record<string, string>>): Promise<unknown> {
  const { VERSION: _, COMMIT: __, ...inherited } = process.env;
  execFileSync('npm', ['run', '--silent', 'build:service'], { cwd: folder, env: { ...inherited, ...variables } });
  // No Redis is there: the instance listens, but is not ready.
  const env = { PATH: process.env.PATH, PORT: '0', REDIS_URL: 'redis://127.0.0.1:1' };
  const instance = spawn(process.execPath, ['dist/main.js'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const seen = await versionAt(await addressOf(instance));
  instance.kill('SIGKILL');
  await once(instance, 'exit');
  return seen;
}

describe('a build', () => {
  const COMMIT = 'a'.repeat(40);
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-release-'));
    const client = ['packages/client/src', 'packages/client/package.json'];
    for (const name of ['src', 'scripts', 'lua', 'package.json', 'tsconfig.json', ...client])
      cpSync(name, join(folder, name), { recursive: true });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('with VERSION and COMMIT is that release', async () => {
    expect(await builtIn(folder, { VERSION: '9.8.7', COMMIT })).toEqual({ version: '9.8.7', commit: COMMIT });
  });

  test('has the command line, which runs by a link as in the image', async () => {
    const holdfast = await startInstance();
    symlinkSync(join(folder, 'dist/holdfast.js'), join(folder, 'holdfast'));
    const env = { PATH: `${folder}:${process.env.PATH}`, HOLDFAST_URL: holdfast.url, HOLDFAST_KEY: holdfast.key };
    const script = "echo '[{name: lab/a}]' | holdfast apply -f - && holdfast check lab/a && holdfast why lab/a";
    // Not synchronously: the service runs in this process.
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env });
    expect(stdout).toMatch(/^\+ lab\/a\nRESOURCE .*\nlab\/a +free .*\nlab\/a is free\.\n$/);
    await holdfast.stop();
  });

  test('without VERSION is none of a release, and has COMMIT', () => {
    expect(buildOf({ COMMIT }, folder)).toEqual({ version: `${version}-dev`, commit: COMMIT });
  });

  test('of a checkout has its commit, and says if files have changed since; otherwise it has none', () => {
    const commit = () => buildOf({}, folder).commit;
    expect(commit()).toBeNull();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
        cwd: folder,
        encoding: 'utf8',
      });
    git('init', '--quiet');
    git('add', 'package.json');
    git('commit', '--quiet', '--message', 'Start');
    const head = git('rev-parse', 'HEAD').trim();
    expect(commit()).toBe(head);
    appendFileSync(join(folder, 'package.json'), '\n');
    expect(commit()).toBe(`${head}-dirty`);
  });
});
