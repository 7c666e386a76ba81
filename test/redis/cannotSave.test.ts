/**
 * A Redis that cannot save to its disk: it answers MISCONF to every write until it can again.
 */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedis, startRedisNode } from '../../scripts/redisServer.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Writes over the limit for the size of a file then fail, as on a full disk, and do not end the process. */
const RUNNER = ['sh', '-c', 'trap "" XFSZ; exec "$0" "$@"'];
const CAUSE = 'MISCONF Errors writing to the AOF file: File too large';
const WORDS =
  'The reservation store takes no writes, so nothing works until its operator has mended that. Repeat the call later.';
const { error } = spawnSync('prlimit', ['--version']);

describe.skipIf(error !== undefined)('while Redis cannot write its append-only file (needs prlimit)', () => {
  const keys = [makeConfiguredKey(makeTenant())];
  let redis: RedisNode;
  let redisUrl: string;
  let holdfast: Instance;
  let releaseToken: string | undefined;
  const limitFiles = (bytes: number | 'unlimited') =>
    expect(spawnSync('prlimit', ['--pid', String(redis.pid), `--fsize=${bytes}:unlimited`]).status).toBe(0);
  const readiness = (of: Instance) => of.request<{ reason?: string }>('GET', '/readyz');
  const reserve = (resource: string) =>
    holdfast.request('POST', '/api/v1/Reservation/reserve', [{ resource, requester: 'r', ttlSeconds: 600 }]);
  const lines = (msg: string) => holdfast.logged.map((line) => JSON.parse(line)).filter((line) => line.msg === msg);

  beforeAll(async () => {
    const port = await freePort();
    redisUrl = `redis://127.0.0.1:${port}`;
    redis = await startRedisNode(() => {}, port, ['--appendonly', 'yes'], { runner: RUNNER });
    holdfast = await startInstance({ keys, redisUrl, env: { METRICS_PORT: '0' } });
    releaseToken = (await holdfast.reserve({ resource: 'before', requester: 'r' })).body[0]?.releaseToken ?? undefined;
    limitFiles(1);
    await until('Redis refuses a write', async () => (await reserve('filling')).status === 503);
  });
  afterAll(async () => {
    await holdfast.stop();
    await redis.stop();
  });

  test('callers get an error that it refuses to write, and the log has Redis’s own words', async () => {
    expect(await reserve('refused')).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE', error: WORDS } });
    const mine = { resource: 'before', requester: 'r', releaseToken };
    expect((await holdfast.unreserve(mine)).body).toMatchObject({ error: WORDS });
    expect((await holdfast.renew({ ...mine, ttlSeconds: 60 })).body).toMatchObject({ error: WORDS });
    expect((await holdfast.available('before')).body).toMatchObject({ error: WORDS });
    expect(lines('request').at(-1)).toMatchObject({ err: { message: expect.stringContaining(CAUSE) } });
  });

  test('/readyz, the metric and the log say it', async () => {
    const reason = `Redis refuses to write (${CAUSE})`;
    expect(await readiness(holdfast)).toMatchObject({ status: 503, body: { reason } });
    expect(await holdfast.scrape()).toContain('holdfast_redis_up 0');
    expect(lines('not ready')).toMatchObject([{ level: 40, reason }]);
  });

  test('an instance that starts is not ready for the same reason', async () => {
    const late = await startInstance({ keys, redisUrl });
    expect(await readiness(late)).toMatchObject({ status: 503, body: { reason: `Redis refuses to write (${CAUSE})` } });
    await late.stop();
  });

  test('it serves again, without a restart, once Redis can write', async () => {
    limitFiles('unlimited');
    await until('it is ready', async () => (await readiness(holdfast)).status === 200);
    expect((await reserve('after')).status).toBe(200);
    expect([lines('not ready').length, lines('ready again').length]).toEqual([1, 1]);
  });
});

test('a Redis with too few replicas refuses to write: its words are the reason', async () => {
  const redis = await startRedis(() => {});
  const holdfast = await startInstance({ redisUrl: redis.url });
  await holdfast.redis.config('SET', 'min-replicas-to-write', '1');
  const reason = expect.stringMatching(/^Redis refuses to write \(NOREPLICAS /);
  expect((await holdfast.request('GET', '/readyz')).body).toMatchObject({ reason });
  await holdfast.stop();
  await redis.stop();
});
