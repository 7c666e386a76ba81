import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { startRedis, startRedisNode } from '../../scripts/redisServer.ts';
import { SERVER_OPTIONS } from '../../src/http/admission/admission.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { createHealthApp } from '../../src/wire/app.ts';
import { hotOf } from '../support/hotRecord.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

const quiet = () => {};

describe('/healthz and /readyz', () => {
  test('an instance that serves is alive and ready', async () => {
    const holdfast = await startInstance();
    expect(await holdfast.request('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await holdfast.request('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    await holdfast.stop();
  });

  test('one that leaves is alive and not ready, and still serves', async () => {
    const holdfast = await startInstance();
    holdfast.leave();
    expect((await holdfast.request('GET', '/healthz')).status).toBe(200);
    expect(await holdfast.request('GET', '/readyz')).toMatchObject({ status: 503, body: { reason: 'leaving' } });
    expect((await holdfast.available('r')).status).toBe(200);
    await holdfast.stop();
  });

  test('many who ask at once share a check, and those of the next half second its answer', async () => {
    const redis = await startRedis(quiet);
    const holdfast = await startInstance({ redisUrl: redis.url });
    const checks = async () => Number(/cmdstat_info:calls=(\d+)/.exec(await holdfast.redis.info('commandstats'))?.[1]);
    await checks();
    const before = await checks();
    const begin = performance.now();
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => holdfast.request('GET', '/readyz')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
    // One for each half second that it took, and this look itself.
    const most = 1 + Math.ceil((performance.now() - begin) / 500) + 1;
    expect((await checks()) - before).toBeLessThanOrEqual(most);
    holdfast.leave();
    expect((await holdfast.request('GET', '/readyz')).status).toBe(503);
    await holdfast.stop();
    await redis.stop();
  });

  test('a worker answers these and nothing else', async () => {
    const worker = await startInstance({ env: { ROLE: 'worker' } });
    expect((await worker.request('GET', '/readyz')).status).toBe(200);
    expect((await worker.available('r')).status).toBe(404);
    await worker.stop();
  });

  test('an instance on a Redis that evicts is not ready and says why, until that is mended', async () => {
    const redis = await startRedis(quiet);
    const holdfast = await startInstance({ redisUrl: redis.url });
    await holdfast.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await holdfast.request('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { reason: 'Redis must have maxmemory-policy noeviction, it has allkeys-lru' },
    });
    const other = await startInstance({ redisUrl: redis.url });
    expect((await other.request('GET', '/readyz')).body).toMatchObject({
      reason: expect.stringContaining('noeviction'),
    });
    await holdfast.redis.config('SET', 'maxmemory-policy', 'noeviction');
    for (const instance of [holdfast, other])
      await until('it is ready', async () => (await instance.request('GET', '/readyz')).status === 200);
    await other.stop();
    await holdfast.stop();
    await redis.stop();
  });
});

test('an instance on a full Redis stays ready, so that releases reach it; other requests say why they fail', async () => {
  const redis = await startRedis(quiet);
  const holdfast = await startInstance({ redisUrl: redis.url });
  const [held] = (await holdfast.reserve({ resource: 'a', requester: 'r' })).body;
  await holdfast.redis.config('SET', 'maxmemory', '1mb');
  expect(
    await holdfast.request('POST', '/api/v1/Reservation/reserve', [{ resource: 'b', requester: 'r' }]),
  ).toMatchObject({
    status: 503,
    body: { code: 'UNAVAILABLE', error: expect.stringContaining('is full') },
  });
  expect((await holdfast.request('GET', '/readyz')).status).toBe(200);
  const late = await startInstance({ redisUrl: redis.url });
  expect((await late.request('GET', '/readyz')).body).toMatchObject({ reason: 'Redis is full' });
  await late.stop();
  expect(held === undefined ? null : (await holdfast.unreserve(held)).body).toMatchObject([{ status: 'RELINQUISHED' }]);
  await holdfast.stop();
  await redis.stop();
});

test('an instance that should be restarted fails /healthz, and says why', async () => {
  const app = createHealthApp({
    ...{ log: createLogger('silent'), logRequests: 'some', metrics: null, traces: null },
    ready: async () => null,
    alive: () => 'lost',
  });
  const server = createServer(SERVER_OPTIONS, getRequestListener(app.fetch));
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
  expect([answer.status, await answer.json()]).toEqual([503, { status: 'unavailable', reason: 'lost' }]);
  server.closeAllConnections();
  server.close();
});

test('probes are logged at debug only, also if all requests are logged', async () => {
  const holdfast = await startInstance({ env: { LOG_REQUESTS: 'all' } });
  for (const path of ['/healthz', '/readyz', '/openapi.json']) await holdfast.request('GET', path);
  const levels = holdfast.logged
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')
    .map(({ path, level }) => [path, level]);
  expect(levels).toEqual([
    ['/healthz', 20],
    ['/readyz', 20],
    ['/openapi.json', 30],
  ]);
  await holdfast.stop();
});

/** The lines that say why an instance is not ready. */
const notReady = ({ logged }: Instance) =>
  logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'not ready');

describe.concurrent('a start without Redis', () => {
  test('says at once that the reason is another one', async () => {
    const port = await freePort();
    const holdfast = await startInstance({ redisUrl: `redis://127.0.0.1:${port}` });
    await until('it has said the first one twice', () => notReady(holdfast).length === 2);
    const redis = await startRedisNode(quiet, port, ['--maxmemory-policy', 'allkeys-lru']);
    const reason = 'Redis must have maxmemory-policy noeviction, it has allkeys-lru';
    const readiness = () => holdfast.request<{ reason?: string }>('GET', '/readyz');
    await until('it is another one', async () => (await readiness()).body.reason === reason);
    expect(notReady(holdfast)).toContainEqual(expect.objectContaining({ reason }));
    await holdfast.stop();
    await redis.stop();
  });

  test('listens, is not ready, says why ever more seldom, and serves as soon as Redis is there', async () => {
    const socket = `/tmp/holdfast-test-${randomBytes(6).toString('hex')}.sock`;
    const holdfast = await startInstance({ redisUrl: `unix://${socket}`, env: { ROLE: 'all' } });
    expect((await holdfast.request('GET', '/healthz')).status).toBe(200);
    expect(await holdfast.request('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { reason: expect.stringMatching(/^Redis cannot be reached \(.*ENOENT/) },
    });
    expect((await holdfast.available('r')).status).toBe(503);
    const said = () => notReady(holdfast);
    await until('it has said so three times', () => said().length >= 3);
    const [first = 0, second = 0, third = 0] = said().map(({ time }) => Date.parse(time));
    expect(second - first).toBeGreaterThan(950);
    expect(third - second).toBeGreaterThan(1900);
    const redis = await startRedis(quiet, { socket });
    await until('it is ready', async () => (await holdfast.request('GET', '/readyz')).status === 200);
    const [result] = (await holdfast.reserve({ resource: 'r', requester: 'a', ttlSeconds: 1 })).body;
    expect(result?.status).toBe('ACQUIRED');
    // Its jobs run, too.
    const due = async () => (await hotOf(holdfast.redis, holdfast.tenant)).count;
    await until('the lease is swept', async () => (await due()) === 0);
    await holdfast.stop();
    await redis.stop();
  });
});

describe.concurrent('without Redis, requests get a 503 with Retry-After within 2 s, and are served again once it is back', () => {
  const probe = async (ask: () => Promise<{ status: number; headers: Headers }>) => {
    // The service gives up after 1.5 s. A busy machine delays this timer as it delays its own.
    const givesUp = pause(1500).then(() => performance.now());
    const { status, headers } = await ask();
    const answeredAt = performance.now();
    return { status, retryAfter: headers.get('retry-after'), lateMs: answeredAt - (await givesUp) };
  };

  test.each(['SIGSTOP', 'SIGKILL'] as const)('%s', async (signal) => {
    const redis = await startRedis(quiet);
    const holdfast = await startInstance({ redisUrl: redis.url });
    await holdfast.reserve({ resource: 'before', requester: 'alice' });
    process.kill(redis.pid, signal);
    for (const round of [1, 2, 3]) {
      const { status, retryAfter, lateMs } = await probe(() => holdfast.available(`r${round}`));
      expect([round, status, retryAfter]).toEqual([round, 503, '1']);
      // A second attempt would take another 1.5 s.
      expect(lateMs).toBeLessThan(1400);
    }
    expect((await holdfast.request('GET', '/readyz')).status).toBe(503);
    expect((await holdfast.request('GET', '/healthz')).status).toBe(200);
    if (signal === 'SIGSTOP') {
      process.kill(redis.pid, 'SIGCONT');
      await until('service again', async () => (await holdfast.available('r')).status === 200);
      expect((await holdfast.check({ resource: 'before' })).body[0]?.reserved).toBe(true);
    }
    await holdfast.stop();
    await redis.stop();
  });

  test('a Redis that comes back empty is served again at once: scripts and tenants are put back', async () => {
    const socket = `/tmp/holdfast-test-${randomBytes(6).toString('hex')}.sock`;
    const first = await startRedis(quiet, { socket });
    const holdfast = await startInstance({ redisUrl: `unix://${socket}` });
    expect((await holdfast.available('r')).status).toBe(200);
    process.kill(first.pid, 'SIGKILL');
    await until('Redis is gone', async () => (await holdfast.available('r')).status === 503);
    await first.stop();
    const second = await startRedis(quiet, { socket });
    await until('service again', async () => (await holdfast.available('r')).status === 200);
    expect((await holdfast.reserve({ resource: 'r', requester: 'a' })).body[0]?.status).toBe('ACQUIRED');
    await holdfast.stop();
    await second.stop();
  });
});
