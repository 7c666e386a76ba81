/**
 * Failed authentications are limited for each client address (docs/specification.md#limits).
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

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

/** An address that has failed too often just now. */
async function lockedOut(instance: Instance): Promise<string> {
  const address = randomAddress();
  for (let i = 0; i < 6; i++) await attempt(instance, address);
  expect((await attempt(instance, address)).status).toBe(429);
  return address;
}

describe('an address that fails too often', () => {
  test('is refused with 429, at all instances; others are not', async () => {
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
      code: 'LIMIT_REACHED',
      limitType: 'FailedAuthentications',
      limit: 5,
      tier: null,
      retryAfter: Number(headers.get('retry-after')),
      upgradeRequired: false,
    });
    expect((await attempt(one, address, 'no key at all')).status).toBe(429);
    expect((await attempt(other, address)).status).toBe(429);
    expect((await attempt(one, randomAddress())).status).toBe(401);
  });

  test('is logged without the tenant that it names', async () => {
    const [one] = behindProxy;
    const address = await lockedOut(one);
    const id = makeTenant();
    const { key } = makeConfiguredKey(one.tenant);
    const headers = { 'X-Forwarded-For': address, 'X-Api-Key': key, 'X-Request-Id': id };
    expect((await one.request('GET', PATH, undefined, headers)).status).toBe(429);
    const line = one.logged.find((text) => text.includes(id)) ?? '';
    expect(JSON.parse(line)).toMatchObject({ status: 429, path: PATH });
    expect(line).not.toContain(one.tenant);
  });

  test('still gets in with a valid key, and with no other', async () => {
    const keys = [makeConfiguredKey(makeTenant()), makeConfiguredKey(makeTenant())];
    const instance = await startInstance({ keys, env: { MAX_FAILED_AUTHENTICATIONS: '5', TRUSTED_PROXIES: '1' } });
    const address = await lockedOut(instance);
    for (const { key } of keys) expect((await attempt(instance, address, key)).status).toBe(200);
    expect((await attempt(instance, address)).status).toBe(429);
    const body = [{ resource: 'r', requester: 'q' }];
    const headers = { 'X-Forwarded-For': address };
    expect((await instance.request('POST', '/api/v1/Reservation/reserve', body, headers)).status).toBe(200);
    await instance.stop();
  });

  test('has at most 10 keys a second looked up; a key that was valid lately needs no look-up', async () => {
    const [used, fresh] = [makeConfiguredKey(makeTenant()), makeConfiguredKey(makeTenant())];
    // Of its own: it counts the scripts of all.
    const redis = await startRedis(() => {});
    const instance = await startInstance({
      redisUrl: redis.url,
      keys: [used, fresh],
      env: { MAX_FAILED_AUTHENTICATIONS: '5', TRUSTED_PROXIES: '1' },
    });
    const lookUps = async () => {
      const stats = (await instance.redis.info('commandstats')).matchAll(/cmdstat_(?:fcall|evalsha):calls=(\d+)/g);
      return [...stats].reduce((sum, [, calls]) => sum + Number(calls), 0);
    };
    expect((await attempt(instance, randomAddress(), used.key)).status).toBe(200);
    const address = await lockedOut(instance);
    const before = await lookUps();
    const guesses = Array.from({ length: 200 }, () => attempt(instance, address, makeConfiguredKey(used.tenant).key));
    expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([429]));
    // Look-ups of two seconds at most, and a few scripts of the instance's own.
    expect((await lookUps()) - before).toBeLessThan(100);
    expect((await attempt(instance, address, used.key)).status).toBe(200);
    await until('a look-up for the other', async () => (await attempt(instance, address, fresh.key)).status === 200);
    await instance.stop();
    await redis.stop();
  });

  test('may not exchange JWTs, and is told before it has sent one', async () => {
    const JWT_ISSUERS = JSON.stringify([
      {
        tenant: 't',
        id: 'own',
        issuer: 'https://i.example',
        audience: 'a',
        jwksUrl: 'https://i.example/jwks',
        conditions: {},
      },
    ]);
    const env = { MAX_FAILED_AUTHENTICATIONS: '5', TRUSTED_PROXIES: '1', JWT_ISSUERS };
    const instance = await startInstance({ env });
    const address = await lockedOut(instance);
    const socket = connect(Number(new URL(instance.url).port), '127.0.0.1').setEncoding('latin1');
    let text = '';
    socket.on('data', (data: string) => {
      text += data;
    });
    socket.write(
      `POST /api/v1/auth/token HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n`,
    );
    await until('an answer', () => text.startsWith('HTTP/1.1 429 '));
    socket.destroy();
    const headers = { 'X-Forwarded-For': randomAddress() };
    const large = { jwt: 'x'.repeat(70_000) };
    expect(await instance.request('POST', '/api/v1/auth/token', large, headers)).toMatchObject({
      status: 413,
      body: { error: 'The request body is larger than 65536 bytes.' },
    });
    const fits = { jwt: 'x'.repeat(60_000) };
    expect((await instance.request('POST', '/api/v1/auth/token', fits, headers)).status).toBe(401);
    await instance.stop();
  });

  test('has not failed where it brought no credential: any page can make a browser ask', async () => {
    const [one] = behindProxy;
    const address = randomAddress();
    for (let i = 0; i < 10; i++) expect((await attempt(one, address, '')).status).toBe(401);
    expect((await attempt(one, address)).status).toBe(401);
  });

  test('has failed where the large body of an invalid key was not even read', async () => {
    const [one] = behindProxy;
    const address = randomAddress();
    const send = () =>
      one.request('POST', '/api/v1/Reservation/reserve', `[${'{},'.repeat(300_000)}{}]`, {
        'X-Forwarded-For': address,
        'X-Api-Key': makeConfiguredKey(one.tenant).key,
      });
    for (let i = 0; i < 5; i++) expect((await send()).status).toBe(401);
    expect((await send()).status).toBe(429);
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
