import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { dirname } from 'node:path';
import { afterAll, describe, expect, inject, test, vi } from 'vitest';
import type { ConfiguredKey } from '../src/identity/configured.ts';
import { createClient } from './support/client.ts';
import { killStarted, START_WITHIN_MS, start, welcomed } from './support/process.ts';
import { makeConfiguredKey, makeTenant } from './support/service.ts';
import { until } from './support/until.ts';
import { watch } from './support/watch.ts';

vi.setConfig({ testTimeout: 2 * START_WITHIN_MS });
afterAll(killStarted);

const AS_NPM_START = ['--import', 'tsx', 'scripts/start.ts'];

/** The Redis that a process runs: a grandchild of it, below the shell that guards it. */
function redisOf(pid: number): { pid: number; folder: string } {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const childrenOf = (parent: number) =>
    processes.map(Number).filter((child) => {
      try {
        return new RegExp(`\\) \\w ${parent} `).test(readFileSync(`/proc/${child}/stat`, 'utf8'));
      } catch {
        return false;
      }
    });
  for (const redis of childrenOf(pid).flatMap(childrenOf)) {
    const [, socket] = /unixsocket:(\S+?)\0/.exec(readFileSync(`/proc/${redis}/cmdline`, 'utf8')) ?? [];
    if (socket !== undefined) return { pid: redis, folder: dirname(socket) };
  }
  throw new Error('no Redis runs below the service');
}

const occupy = (port: number) =>
  new Promise<Server | null>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

describe.concurrent('started with nothing configured', () => {
  test('runs on a Redis of its own beside a taken port 8080, prints a key that works, and Ctrl-C stops it all', async () => {
    const taken = await occupy(8080);
    const started = start({}, AS_NPM_START);
    const holdfast = await welcomed(started);
    expect(holdfast.url).not.toContain(':8080');
    expect((await holdfast.reserve({ resource: 'printer', requester: 'me' })).body[0]?.status).toBe('ACQUIRED');
    const redis = redisOf(started.child.pid ?? 0);
    expect(existsSync(redis.folder)).toBe(true);
    started.child.kill('SIGINT');
    expect(await started.exit).toBe(0);
    await until('Redis and its folder are gone', () => !existsSync(redis.folder) && !existsSync(`/proc/${redis.pid}`));
    taken?.close();
  });

  test('a kill takes its Redis along too', async () => {
    const started = start();
    await welcomed(started);
    const redis = redisOf(started.child.pid ?? 0);
    started.child.kill('SIGKILL');
    await until('Redis and its folder are gone', () => !existsSync(redis.folder) && !existsSync(`/proc/${redis.pid}`));
  });

  test('the curl line of the welcome can be pasted', async () => {
    const started = start();
    await welcomed(started);
    const [line = ''] = await until('the line', () => /curl .*/.exec(started.output()));
    const shell = spawn('sh', ['-c', line]);
    let answer = '';
    shell.stdout.on('data', (chunk) => (answer += chunk));
    await new Promise((resolve) => shell.once('close', resolve));
    expect(JSON.parse(answer)).toMatchObject([{ resource: 'printer', status: 'ACQUIRED' }]);
  });
});

describe.concurrent('a start that cannot work says why in one line and exits non-zero', () => {
  const refused = async (env: Record<string, string>) => {
    const started = start(env);
    const code = await started.exit;
    expect(code).toBe(1);
    expect(started.errors().trim().split('\n')).toHaveLength(1);
    return started.errors();
  };

  test('a port that was given and is taken', async () => {
    const taken = await occupy(0);
    const address = taken?.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await refused({ PORT: String(port) })).toContain(`cannot listen at 127.0.0.1:${port}: EADDRINUSE`);
    taken?.close();
  });

  test('a bad variable', async () => {
    expect(await refused({ PORT: 'eighty', ROLE: 'boss' })).toMatch(/PORT must be an integer; ROLE must be/);
  });
});

describe.concurrent('started without its Redis', () => {
  test('listens and says why it is not ready; the address’s password is not repeated; SIGTERM ends it in good order', async () => {
    const started = start({ REDIS_URL: 'redis://user:secret@127.0.0.1:1', PORT: '0', DRAIN_DELAY_SECONDS: '0' });
    const [, url = ''] = await until('it listens', () => /"url":"([^"]+)"/.exec(started.output()), START_WITHIN_MS);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { reason: expect.stringContaining('Redis cannot be reached') },
    ]);
    await until('it says so', () => started.output().includes('"not ready"'));
    expect(started.output()).not.toContain('secret');
    started.child.kill('SIGTERM');
    expect(await started.exit).toBe(0);
  });
});

describe.concurrent('SIGTERM', () => {
  /** An instance on the Redis of all tests, where others fail to authenticate from the same address. */
  const withKey = (key: ConfiguredKey) => ({
    REDIS_URL: inject('redisUrl'),
    PORT: '0',
    ROLE: 'api',
    MAX_FAILED_AUTHENTICATIONS: '1000000',
    API_KEYS: JSON.stringify([key]),
  });

  test('ends a start at once', async () => {
    // A database that takes connections and never answers keeps the start waiting.
    const silent = createTcpServer();
    const connected = new Promise((resolve) => silent.once('connection', resolve));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const started = start({
      REDIS_URL: inject('redisUrl'),
      DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/nothing`,
      KEY_SECRET: 'x'.repeat(32),
    });
    await connected;
    started.child.kill('SIGTERM');
    // By a code, not by the signal: that would not end the first process of a container.
    expect(await started.exit).toBe(143);
    silent.close();
  });

  test('is told to balancers first: for DRAIN_DELAY_SECONDS nothing else has changed', async () => {
    const own = makeConfiguredKey(makeTenant());
    const { key } = own;
    const started = start({ ...withKey(own), DRAIN_DELAY_SECONDS: '3' });
    const [, url = ''] = await until('ready', () => /"url":"([^"]+)"/.exec(started.output()), START_WITHIN_MS);
    const before = await watch({ url, key });
    const begin = performance.now();
    started.child.kill('SIGTERM');
    await until('it is not ready', async () => (await fetch(`${url}/readyz`)).status === 503);
    const after = await watch({ url, key });
    expect(after.head).toContain(' 200 ');
    const { status, headers } = await createClient(url, key).available('r');
    // So that nobody sends another request on a connection that is about to be closed.
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    expect([before.ended, after.ended]).toEqual(['no', 'no']);
    expect(await started.exit).toBe(0);
    expect([before.ended, after.ended]).toEqual(['in good order', 'in good order']);
    expect(performance.now() - begin).toBeGreaterThan(3000);
  });

  test('finishes what is in flight and leaves within 10 s', async () => {
    const own = makeConfiguredKey(makeTenant());
    const { key } = own;
    const started = start(withKey(own));
    const [, url = ''] = await until('ready', () => /"url":"([^"]+)"/.exec(started.output()), START_WITHIN_MS);
    const body = JSON.stringify([{ resource: 'r', requester: 'q' }]);
    const call = request(`${url}/api/v1/Reservation/check`, {
      method: 'POST',
      headers: { 'X-Api-Key': key, 'Content-Type': 'application/json', 'Content-Length': body.length },
    });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      call.once('response', (response) => resolve(response.statusCode)).once('error', reject);
    });
    call.write(body.slice(0, 10));
    // Answered on another connection: so the first one's request has arrived.
    await fetch(`${url}/healthz`);
    const begin = performance.now();
    started.child.kill('SIGTERM');
    await until('it leaves', () => started.output().includes('"leaving"'));
    call.end(body.slice(10));
    expect(await answered).toBe(200);
    expect(await started.exit).toBe(0);
    expect(performance.now() - begin).toBeLessThan(10_000);
  });
});
