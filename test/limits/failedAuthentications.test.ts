/**
 * Failed authentications are limited for each client address (decisions, section 8).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

const randomAddress = () => Array.from({ length: 4 }, () => 1 + Math.floor(Math.random() * 250)).join('.');
const PATH = '/api/v1/Resource/available/r';

let behindProxy: [Instance, Instance];
beforeAll(async () => {
  const keys = [makeConfiguredKey(makeTenant())];
  const env = { MAX_FAILED_AUTHENTICATIONS: '5', TRUSTED_PROXIES: '1' };
  behindProxy = [await startInstance({ keys, env }), await startInstance({ keys, env })];
});
afterAll(() => Promise.all(behindProxy.map((instance) => instance.stop())));

const attempt = async (instance: Instance, forwarded: string, key = makeConfiguredKey(instance.tenant).key) =>
  instance.request('GET', PATH, undefined, { 'X-Forwarded-For': forwarded, 'X-Api-Key': key });

describe('an address that fails too often', () => {
  test('is refused with 429, at all instances, whatever key it brings; others are not', async () => {
    const [one, other] = behindProxy;
    const address = randomAddress();
    for (const key of [undefined, 'no key at all', undefined, undefined, makeConfiguredKey(makeTenant()).key]) {
      expect((await attempt(one, address, key)).status).toBe(401);
    }
    const { status, headers, body } = await attempt(one, address);
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect(body).toEqual({
      error: 'Too many failed authentications from this address.',
      limitType: 'FailedAuthentications',
      limit: 5,
      tier: null,
      retryAfter: Number(headers.get('retry-after')),
      upgradeRequired: false,
    });
    expect((await attempt(one, address, one.key)).status).toBe(429);
    expect((await attempt(other, address)).status).toBe(429);
    expect((await attempt(other, address, one.key)).status).toBe(429);
    expect((await attempt(one, randomAddress(), one.key)).status).toBe(200);
  });

  test('cannot hide behind a header of its own: what our proxy saw counts', async () => {
    const [one] = behindProxy;
    const address = randomAddress();
    for (let i = 0; i < 5; i++) expect((await attempt(one, `${randomAddress()}, ${address}`)).status).toBe(401);
    expect((await attempt(one, `${randomAddress()}, ${address}`)).status).toBe(429);
  });

  test('of IPv6: the /64 counts', async () => {
    const [one] = behindProxy;
    const network = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}`;
    for (let i = 0; i < 5; i++) expect((await attempt(one, `${network}::${i}`)).status).toBe(401);
    expect((await attempt(one, `${network}:0:1:2:3:4`)).status).toBe(429);
    expect((await attempt(one, `${network}:1::1`)).status).toBe(401);
  });

  test('a header is believed only when configuration says so', async () => {
    const direct = await startInstance({ env: { MAX_FAILED_AUTHENTICATIONS: '1000000' } });
    const address = randomAddress();
    for (let i = 0; i < 7; i++) expect((await attempt(direct, address)).status).toBe(401);
    expect(await direct.redis.exists(`failedAuthentications:${address}`)).toBe(0);
    await direct.stop();
  });

  test('successes do not count', async () => {
    const [one] = behindProxy;
    const address = randomAddress();
    for (let i = 0; i < 10; i++) expect((await attempt(one, address, one.key)).status).toBe(200);
    expect((await attempt(one, address)).status).toBe(401);
  });
});
