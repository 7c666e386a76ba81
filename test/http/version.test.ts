/**
 * GET /version and the dashboard's footer: the version and the commit that run.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { z } from 'zod';
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

test('the footer of the dashboard shows it', async () => {
  const holdfast = await startInstance();
  const { cookie } = await signIn(holdfast.redis, holdfast.tenant);
  const { text } = await ask(`${holdfast.url}/dashboard`, { headers: { Cookie: cookie } });
  expect(text).toMatch(new RegExp(`<footer[^]*Holdfast ${version}-dev[^]*</footer>`));
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

test('a build with VERSION and COMMIT is that release', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-release-'));
  for (const name of ['src', 'scripts', 'lua', 'package.json', 'tsconfig.json'])
    cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const release = { VERSION: '9.8.7', COMMIT: 'a'.repeat(40) };
  execFileSync('npm', ['run', '--silent', 'build:service'], { cwd: folder, env: { ...process.env, ...release } });
  // No Redis is there: the instance listens, but is not ready.
  const env = { PATH: process.env.PATH, PORT: '0', REDIS_URL: 'redis://127.0.0.1:1' };
  const instance = spawn(process.execPath, ['dist/main.js'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(await versionAt(await addressOf(instance))).toEqual({ version: '9.8.7', commit: release.COMMIT });
  instance.kill('SIGKILL');
  await once(instance, 'exit');
  rmSync(folder, { recursive: true });
});
