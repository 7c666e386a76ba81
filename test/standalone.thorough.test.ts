/**
 * The program of the image `standalone`: the service with a Redis whose data outlives it.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { createPatientRedis, type RedisClient } from '../src/redis/client.ts';
import { ask, bare } from './support/ask.ts';
import { killStarted, START_WITHIN_MS, type Started, start, welcomed } from './support/process.ts';

vi.setConfig({ testTimeout: 2 * START_WITHIN_MS });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-standalone-'));
});
afterEach(() => {
  killStarted();
  rmSync(folder, { recursive: true, force: true });
});

const socket = () => join(folder, 'redis.sock');

// As in the image. The port is a free one.
const env = { HOST: '0.0.0.0', PORT: '0', DRAIN_DELAY_SECONDS: '0' };
const run = (in_ = folder, more: Record<string, string> = {}): Started =>
  start({ ...env, ...more }, [inject('programs').standalone, in_]);

/** Asks the Redis of the program. */
async function withRedis<T>(ask: (redis: RedisClient) => Promise<T>): Promise<T> {
  const redis = createPatientRedis(`unix://${socket()}`);
  try {
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}

const stop = async (started: Started) => {
  started.child.kill('SIGTERM');
  return started.exit;
};

test('keeps its key and its reservations when it is stopped and started again', async () => {
  const first = run();
  const before = await welcomed(first);
  expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600);
  const reserved = await before.reserve({ resource: 'printer', requester: 'me' });
  expect(reserved.body[0]?.status).toBe('ACQUIRED');
  expect(existsSync(socket())).toBe(true);

  // So it takes up to a second to end: longer than the rest.
  await withRedis((redis) => redis.config('SET', 'hz', '1'));
  expect(await stop(first)).toBe(0);
  // A Redis that is killed leaves its socket, and loses what it has not written because of an fsync under way.
  expect(existsSync(socket())).toBe(false);

  const second = run();
  const after = await welcomed(second);
  expect(after.key).toBe(before.key);
  expect((await after.reserve({ resource: 'printer', requester: 'me' })).body[0]).toMatchObject({
    status: 'ALREADY_HAD',
    releaseToken: reserved.body[0]?.releaseToken,
  });
  expect(await stop(second)).toBe(0);
});

test('opens its dashboard with the key', async () => {
  const started = run();
  const { url, key } = await welcomed(started);
  expect(started.output()).toContain('(sign in with a key)');
  const body = new URLSearchParams({ key });
  const { status, cookies } = await ask(`${url}/dashboard/sign-in`, { method: 'POST', headers: { Origin: url }, body });
  expect(status).toBe(303);
  const headers = { Cookie: bare(cookies[0]) };
  expect((await ask(`${url}/dashboard/overview`, { headers })).status).toBe(200);
});

test('ends if its Redis does, so that both are started again', async () => {
  const started = run();
  await welcomed(started);
  const [, pid] = /process_id:(\d+)/.exec(await withRedis((redis) => redis.info('server'))) ?? [];
  process.kill(Number(pid), 'SIGKILL');
  expect(await started.exit).toBe(1);
  expect(started.errors()).toContain('its Redis has ended');
});

test('says what to do about a folder that it cannot use', async () => {
  const started = run(join(folder, 'missing'));
  expect(await started.exit).toBe(1);
  expect(started.errors()).toMatch(
    /^holdfast: cannot use .*missing: mount a volume there that user \d+ may read and write\n$/,
  );
});

test('answers options without starting a Redis', async () => {
  const started = start(env, [inject('programs').standalone, folder, '--check-config']);
  expect(await started.exit).toBe(0);
  expect(started.output()).toContain('with an API key');
});
