/**
 * The options of the program, which neither start nor connect anything.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { DESCRIBED } from '../src/config/help.ts';

const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));

/** Runs the service with an option. An address where nobody answers shows that it does not connect. */
async function run(option: string, env: Record<string, string> = {}, program: 'service' | 'start' = 'service') {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [inject('programs')[program], option], { env: { PATH, HOME, ...env } });
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) child[stream].on('data', (chunk) => (text[stream] += chunk));
  const [code] = await once(child, 'close');
  return { code, ...text };
}

test('--help lists every variable with its default and its meaning', async () => {
  const { code, stdout, stderr } = await run('--help');
  expect([code, stderr]).toEqual([0, '']);
  for (const { title, variables } of DESCRIBED) {
    expect(stdout).toContain(`\n${title}\n`);
    for (const { name, default: usual, meaning } of variables) {
      expect(stdout).toContain(usual === '' ? `\n  ${name}\n` : `\n  ${name} (default: ${usual})\n`);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(meaning.replaceAll(/\s+/g, ' '));
    }
  }
});

test('--version prints the version of package.json, with -dev in a development tree', async () => {
  expect(await run('--version')).toEqual({ code: 0, stdout: `${version}-dev\n`, stderr: '' });
});

test('an unknown option is refused', async () => {
  expect(await run('--hlep')).toMatchObject({ code: 1, stderr: expect.stringContaining('no option --hlep') });
});

describe('--check-config', () => {
  test('says what would start, without passwords', async () => {
    const { code, stdout, stderr } = await run('--check-config', {
      HOST: '0.0.0.0',
      PORT: '8080',
      ROLE: 'api',
      REDIS_URL: 'redis+sentinel://user:geheim1@127.0.0.1:1,b/main?sentinelPassword=geheim2',
      DATABASE_URL: 'postgres://user:geheim3@127.0.0.1:1/holdfast?password=geheim4',
      KEY_SECRET: 'geheim5'.repeat(8),
      REDIS_ULR: 'geheim6',
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^OK: /);
    for (const part of [
      /role +api/,
      /0\.0\.0\.0, port 8080/,
      /primary main of the sentinels 127\.0\.0\.1:1, b:26379/,
      /in the database postgres:\/\/127\.0\.0\.1:1\/holdfast$/m,
      /Warning: Holdfast does not know REDIS_ULR; did you mean REDIS_URL\?/,
      /Warning: Nobody can sign in/,
    ])
      expect(stdout).toMatch(part);
    expect(stdout).not.toContain('geheim');
  });

  test.each([
    ['redis://:geheim@redis:6379/2', 'redis://redis:6379/2'],
    ['redis://:ge?heim@redis:6379/2', 'not shown'],
    ['rediss+cluster://u:geheim@a,b:7000', 'a cluster, found through a:6379, b:7000, by TLS'],
    ['unix:///run/redis.sock', 'unix:///run/redis.sock'],
  ])('shows no password of %s', async (REDIS_URL, shown) => {
    const { stdout } = await run('--check-config', { REDIS_URL });
    expect(stdout).toContain(shown);
    expect(stdout).not.toContain('heim');
  });

  test('prints every fault on a line of its own, and exits with 1', async () => {
    const { code, stdout, stderr } = await run('--check-config', { PORT: 'eighty', ROLE: 'boss', REDIS_ULR: 'x' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toEqual([
      'PORT must be an integer',
      'ROLE must be all, api or worker',
      expect.stringContaining('REDIS_URL must be set'),
      'Holdfast does not know REDIS_ULR; did you mean REDIS_URL?',
    ]);
  });

  test('of npm start needs no REDIS_URL, and starts no Redis', async () => {
    const { code, stdout } = await run('--check-config', {}, 'start');
    expect(code).toBe(0);
    expect(stdout).toMatch(/private/);
    expect(stdout).toMatch(/local, by the link/);
  });
});
