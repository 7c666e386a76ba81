/** Which requests are logged (docs/operations/monitoring.md#logs, LOG_REQUESTS). */

import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { ISSUER, jwks, sign, useJwks } from '../support/jwt.ts';
import { parseSamples } from '../support/samples.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

const INFO = 30;
const SLOW_MS = 1000;
const RESERVE = '/api/v1/Reservation/reserve';

let redis: RedisServer;
let holdfast: Instance;
beforeAll(async () => {
  redis = await startRedis(() => {});
  holdfast = await startInstance({ redisUrl: redis.url });
});
afterAll(async () => {
  await holdfast.stop();
  await redis.stop();
});

/** The requests that an instance logged while something was done, at any level. */
async function observed(instance: Instance, act: () => Promise<unknown>) {
  const before = instance.logged.length;
  await act();
  const lines = instance.logged.slice(before).map((line) => JSON.parse(line));
  return lines
    .filter(({ msg }) => msg === 'request')
    .map(({ level, path, durationMs }) => ({ path, ms: Number(durationMs), isLogged: level >= INFO }));
}

/** The paths of those that it logged at level info or above. */
const logged = async (instance: Instance, act: () => Promise<unknown>) =>
  (await observed(instance, act)).filter(({ isLogged }) => isLogged).map(({ path }) => path);

describe('by default the log has', () => {
  test('requests that were refused', async () => {
    const act = () => holdfast.request('POST', RESERVE, [{ nonsense: 1 }]);
    expect(await logged(holdfast, act)).toEqual([RESERVE]);
  });

  test('requests that took longer than a second', async () => {
    const act = async () => {
      // Nearly as long as a call may take: the request may start late on a busy machine.
      await holdfast.redis.call('CLIENT', 'PAUSE', 1900, 'ALL');
      await holdfast.reserve({ resource: 'slow', requester: 'a' });
    };
    expect(await logged(holdfast, act)).toEqual([RESERVE]);
  });

  test('no other requests, and none that was long because it waited', async () => {
    await holdfast.reserve({ resource: 'held', requester: 'a' });
    const item = { resource: 'held', requester: 'b', ttlSeconds: 5, waitSeconds: 10 };
    const act = async () => {
      await holdfast.reserve({ resource: 'free', requester: 'a' });
      const { body } = await holdfast.request('POST', `${RESERVE}?pollSeconds=2`, [item]);
      expect(body).toMatchObject([{ status: 'WAITING' }]);
    };
    const [plain, waiting] = await observed(holdfast, act);
    // On a busy machine a plain request may take longer than a second, too.
    expect(plain?.isLogged).toBe((plain?.ms ?? 0) > SLOW_MS);
    expect(waiting?.ms).toBeGreaterThan(SLOW_MS);
    expect(waiting?.isLogged).toBe(false);
  });
});

test('with LOG_REQUESTS=all it has every request', async () => {
  const all = await startInstance({ redisUrl: redis.url, env: { LOG_REQUESTS: 'all' } });
  expect(await logged(all, () => all.reserve({ resource: 'any', requester: 'a' }))).toEqual([RESERVE]);
  await all.stop();
});

/**
 * Metrics about what an instance depends on: Redis's memory, and the keys of JWT issuers.
 */
describe('metrics of what the service depends on', () => {
  const sample = async (instance: Instance, name: string) => parseSamples(await instance.scrape()).get(name);

  useJwks();

  test('the share of maxmemory that Redis uses is measured, if Redis has a maxmemory', async () => {
    const redis = await startRedis(() => {});
    const client = new Redis(redis.url.replace('unix://', ''));
    const holdfast = await startInstance({ env: { METRICS_PORT: '0', REDIS_URL: redis.url } });
    const used = () => sample(holdfast, 'holdfast_redis_memory_used_ratio');
    expect(await used()).toBeUndefined();
    await client.config('SET', 'maxmemory', '64mb');
    const atFirst = await used();
    expect(atFirst).toBeGreaterThan(0);
    expect(atFirst).toBeLessThan(0.5);
    await client.setrange('ballast', 40 * 1024 * 1024, 'x');
    expect(await used()).toBeGreaterThan(0.5);
    expect(await used()).toBeLessThan(1);
    client.disconnect();
    await holdfast.stop();
    await redis.stop();
  });

  test('token exchanges that fail because the issuer’s keys cannot be fetched are counted', async () => {
    const key = { ...makeConfiguredKey(makeTenant()), tier: 'Pro' as const };
    const issuer = {
      tenant: key.tenant,
      id: 'own',
      issuer: ISSUER,
      audience: 'app',
      jwksUrl: jwks.url,
      conditions: {},
    };
    const holdfast = await startInstance({
      keys: [key],
      env: { METRICS_PORT: '0', JWT_ISSUERS: JSON.stringify([issuer]), JWKS_ALLOW_PRIVATE: 'true' },
    });
    const exchange = async () => {
      const jwt = await sign({ aud: 'app' });
      return holdfast.request('POST', '/api/v1/auth/token', { jwt, tenant: key.tenant });
    };
    const failed = () => sample(holdfast, 'holdfast_jwks_errors_total');
    const { answer } = jwks;
    jwks.answer = (response) => void response.writeHead(500).end();
    expect((await exchange()).status).toBe(503);
    expect((await exchange()).status).toBe(503);
    expect(await failed()).toBe(2);
    jwks.answer = answer;
    expect((await holdfast.request('POST', '/api/v1/auth/token', { jwt: 'bad', tenant: key.tenant })).status).toBe(401);
    expect(await failed()).toBe(2);
    await holdfast.stop();
  });
});

test('all loggers of a process share its standard output: another one adds no handler of its end', () => {
  createLogger('silent');
  const handlers = process.listenerCount('exit');
  createLogger('silent');
  expect(process.listenerCount('exit')).toBe(handlers);
});
