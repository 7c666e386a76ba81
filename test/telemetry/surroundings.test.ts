/**
 * Metrics about what an instance depends on: Redis's memory, and the keys of JWT issuers.
 */
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import { ISSUER, jwks, sign, useJwks } from '../support/jwt.ts';
import { parseSamples } from '../support/samples.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

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
  const issuer = { tenant: key.tenant, issuer: ISSUER, audience: 'app', jwksUrl: jwks.url };
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
