/**
 * A start says where the dashboard is, what it waits for, and which settings are probably not meant.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test, vi } from 'vitest';
import { ask } from './support/ask.ts';
import { killStarted, START_WITHIN_MS, start, welcomed } from './support/process.ts';
import { makeConfiguredKey, makeTenant } from './support/service.ts';
import { until } from './support/until.ts';

vi.setConfig({ testTimeout: 2 * START_WITHIN_MS });
afterAll(killStarted);

const KEY_SECRET = 'x'.repeat(32);

const listening = (onConnection: (socket: Socket) => void) =>
  new Promise<Server & { port: number }>((resolve) => {
    const server = createServer(onConnection);
    server.listen(0, '127.0.0.1', () =>
      resolve(Object.assign(server, { port: (server.address() as AddressInfo).port })),
    );
  });

describe.concurrent('npm start says where the dashboard and the API reference are', () => {
  test('with nothing configured, with a link that signs in', async () => {
    const started = start({ PORT: '0' });
    const { url } = await welcomed(started);
    expect(started.output()).toContain(`API reference: ${url}/docs`);
    const links = () => started.output().match(/http:\S+sign-in\?token=\w+/g) ?? [];
    expect(started.output()).toContain(`dashboard:     ${links()[0]} (this link signs you in, once)`);
    const press = (link = '') => {
      const body = new URLSearchParams({ token: new URL(link).searchParams.get('token') ?? '' });
      // An instance that has just started on a busy machine may be overloaded: 503.
      return until('an answer', async () => {
        const answer = await ask(`${url}/dashboard/sign-in`, { method: 'POST', headers: { Origin: url }, body });
        return answer.status === 503 ? null : answer;
      });
    };
    expect((await press(links()[0])).status).toBe(303);
    await until('the next link', () => links().length === 2);
    expect((await press(links()[0])).status).toBe(403);
    expect((await press(links()[1])).status).toBe(303);
  });

  test('with API_KEYS, which it does not repeat, at an address that can be opened', async () => {
    const key = makeConfiguredKey(makeTenant());
    const API_KEYS = JSON.stringify([key]);
    const started = start({ PORT: '0', HOST: '0.0.0.0', ROLE: 'api', REDIS_URL: inject('redisUrl'), API_KEYS });
    await until('the welcome', () => started.output().includes('API reference'), START_WITHIN_MS);
    expect(started.output()).toMatch(
      /dashboard: +http:\/\/localhost:\d+\/dashboard \(nobody can sign in: set OIDC_ISSUER/,
    );
    expect(started.output()).not.toContain(key.key);
  });

  test('with an embedded database, after saying at once why its first start takes long', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-start-'));
    const env = { PORT: '0', ROLE: 'api', REDIS_URL: inject('redisUrl'), KEY_SECRET, LOCAL_SIGN_IN: 'true' };
    const started = start({ ...env, DATABASE_URL: `pglite:${join(folder, 'data')}` });
    await until('it says so', () => started.output().includes('making the embedded database'), START_WITHIN_MS);
    expect(started.output()).not.toContain('"url"');
    await until('the welcome', () => started.output().includes('API reference'), START_WITHIN_MS);
    started.child.kill('SIGKILL');
    await started.exit;
    rmSync(folder, { recursive: true });
  });
});

describe.concurrent('a start that waits says for what, and says it again', () => {
  const count = (text: string, part: string) => text.split(part).length - 1;

  test('a Redis that refuses connections: in its own words, and nothing on stderr', async () => {
    const refusing = await listening((socket) => {
      socket.on('error', () => {});
      socket.end('-DENIED Redis is running in protected mode because no password is set for the default user.\r\n');
    });
    const started = start({ PORT: '0', REDIS_URL: `redis://:secret@127.0.0.1:${refusing.port}` });
    const said = 'Redis cannot be reached (DENIED Redis is running in protected mode';
    await until('it says so', () => count(started.output(), said) > 2, START_WITHIN_MS);
    expect(started.errors()).toBe('');
    refusing.close();
  });

  test('a database that does not answer', async () => {
    const silent = await listening(() => {});
    const DATABASE_URL = `postgres://nobody@127.0.0.1:${silent.port}/nothing`;
    const started = start({ PORT: '0', REDIS_URL: inject('redisUrl'), DATABASE_URL, KEY_SECRET });
    await until('it says so', () => count(started.output(), 'waiting for the database') > 1, START_WITHIN_MS);
    started.child.kill('SIGTERM');
    await started.exit;
    silent.close();
  });
});

describe.concurrent('SIGTERM', () => {
  test('ends an instance that never was ready at once, whatever DRAIN_DELAY_SECONDS', async () => {
    const started = start({ PORT: '0', REDIS_URL: 'redis://127.0.0.1:1', DRAIN_DELAY_SECONDS: '60' });
    await until('it listens', () => started.output().includes('"listening, not ready"'), START_WITHIN_MS);
    const begin = performance.now();
    started.child.kill('SIGTERM');
    expect(await started.exit).toBe(0);
    expect(performance.now() - begin).toBeLessThan(50_000);
  });
});

test.concurrent('a misspelt variable is reported', async () => {
  const started = start({ PORT: '0', REDIS_ULR: 'redis://localhost' });
  await welcomed(started);
  await until('the log', () => started.output().includes('does not know REDIS_ULR; did you mean REDIS_URL?'));
});
