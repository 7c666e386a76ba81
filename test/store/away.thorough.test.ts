/**
 * The database away (docs/specification.md#store-modes-and-start): what needs only Redis goes on undisturbed, what
 * needs the database answers 503, and all is well again by itself.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type PostgresServer, startPostgres } from '../../scripts/postgresServer.ts';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { forget } from '../support/hotRecord.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { databaseEnv, type OpenStore, openStore, type Session, signIn, storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

let postgres: PostgresServer;
/** Its jobs would keep those of other tests from their runs. */
let redis: RedisServer;
let store: OpenStore;
let own: ConfiguredKey;
let holdfast: Instance;
let session: Session;
const start = () =>
  startInstance({ keys: [own], redisUrl: redis.url, env: { ...databaseEnv(postgres.url), ROLE: 'all' } });
beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(() => {}), startRedis(() => {})]);
  store = await openStore(postgres.url, redis.url);
});
afterAll(async () => {
  await store.close();
  await Promise.all([postgres.stop(), redis.stop()]);
});
beforeEach(async () => {
  own = await storeTenant(store);
  session = await signIn(store.redis, own.tenant);
  holdfast = await start();
});
afterEach(() => holdfast.stop());

const AWAY = 'the database cannot be reached: requests that need it get 503';
const Line = z.looseObject({
  msg: z.string().optional(),
  status: z.int().optional(),
  err: z.looseObject({ message: z.string() }).optional(),
});
/** The lines of the log with a message. */
const saying = (text: string) =>
  holdfast.logged.map((line) => Line.parse(JSON.parse(line))).filter(({ msg }) => msg === text);

const WAYS = {
  killed: {
    take: async () => {
      process.kill(postgres.pid, 'SIGKILL');
    },
    giveBack: () => postgres.restart(),
  },
  stopped: {
    take: async () => {
      process.kill(postgres.pid, 'SIGSTOP');
      // New connections wait for the postmaster; those that are there are servers of their own, and stop too.
      signalChildren('STOP');
    },
    giveBack: async () => {
      process.kill(postgres.pid, 'SIGCONT');
      signalChildren('CONT');
    },
  },
};

function signalChildren(signal: 'STOP' | 'CONT'): void {
  execFileSync('pkill', [`-${signal}`, '-P', String(postgres.pid)]);
}

describe.each(Object.entries(WAYS))('%s', (_, { take, giveBack }) => {
  test('reserving, releasing and events go on; what needs it answers 503 in time, and works again when it is back', async () => {
    await holdfast.register({ name: 'pool', capacity: 2 });
    const subscriber = await watch(holdfast);
    await take();
    const [held] = (await holdfast.reserve({ resource: 'pool', requester: 'r' })).body;
    expect(held?.acquiredSlots).toEqual({ pool: 'pool_0' });
    await holdfast.unreserve({ resource: 'pool', requester: 'r', releaseToken: held?.releaseToken ?? '' });
    expect((await subscriber.count(2)).map(({ type }) => type)).toEqual(['RESERVED', 'UNRESERVED']);
    expect((await holdfast.definitions()).body).toHaveLength(1);
    expect((await holdfast.request('GET', '/readyz')).status).toBe(200);

    // An entry of the audit trail that cannot be written is logged instead, and the reset does not wait for that.
    const reset = await session.request(holdfast.url, 'POST', '/api/v1/Reservation/reset');
    expect([reset.status, reset.body]).toEqual([200, { cleared: 0 }]);

    // Statements are given up after 5 s. A busy machine delays this timer as it delays those.
    const givenUp = pause(5000).then(() => performance.now());
    const answers = await Promise.all([
      holdfast.register({ name: 'other' }),
      holdfast.delete('pool'),
      holdfast.request('GET', '/api/v1/Tenant'),
      session.request(holdfast.url, 'GET', '/api/v1/Tenant/keys'),
      session.request(holdfast.url, 'POST', '/api/v1/Tenant/keys', {}),
      session.request(holdfast.url, 'PUT', '/api/v1/Tenant/settings', { requireRegistration: true }),
    ]);
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(body).toEqual({ error: expect.stringContaining('database'), code: 'UNAVAILABLE' });
    }
    expect(performance.now() - (await givenUp)).toBeLessThan(2000);
    // Others still see the resource that was to be deleted.
    expect((await holdfast.reserve({ resource: 'pool', requester: 's' })).body[0]?.status).toBe('ACQUIRED');
    const lost = await until('the entry is logged', () => holdfast.logged.find((line) => line.includes('audit entry')));
    expect(JSON.parse(lost)).toMatchObject({
      tenant: own.tenant,
      actor: 'person:somebody@id.example',
      address: '127.0.0.1',
      action: 'reservations.reset',
      details: { count: 0 },
    });
    expect(holdfast.logged.join('')).not.toContain('hf_');
    // Statements and their values may have digests of keys and addresses of people.
    expect(holdfast.logged.join('')).not.toContain('Failed query');
    // Each reason of the outage once, however many requests failed; and each of these says why in its own line.
    const reasons = saying(AWAY).map(({ err }) => err?.message);
    expect(reasons).not.toEqual([]);
    expect(reasons).toEqual([...new Set(reasons)]);
    const failed = saying('request').filter(({ status }) => status === 503);
    expect(failed.map(({ err }) => typeof err?.message)).toEqual(answers.map(() => 'string'));

    await giveBack();
    await until('it is found again', async () => (await holdfast.request('GET', '/api/v1/Tenant')).status === 200);
    expect(saying('the database is reachable again')).not.toEqual([]);
    await until('and can be written', async () => (await holdfast.register({ name: 'young' })).status === 200);
    expect((await holdfast.reserve({ resource: 'young', requester: 'r' })).body[0]?.status).toBe('ACQUIRED');
    subscriber.close();
  });
});

describe('an instance that starts while it is away', () => {
  test('serves whom Redis knows, 503 to others, and all when it is back', async () => {
    expect((await holdfast.available('r')).status).toBe(200);
    const stranger = await storeTenant(store);
    await WAYS.killed.take();
    const late = await start();
    expect((await late.available('r')).status).toBe(200);
    const asStranger = () =>
      late.request('GET', '/api/v1/Resource/available/r', undefined, { 'X-Api-Key': stranger.key });
    expect((await asStranger()).status).toBe(503);
    await WAYS.killed.giveBack();
    await until('it is found', async () => (await asStranger()).status === 200);
    await late.stop();
  });

  test('and finds a database that it cannot use does not start, and says why', async () => {
    const url = postgres.url.replace(/\/[^/]*$/, '/nowhere');
    const env = databaseEnv(url);
    await expect(startInstance({ keys: [own], env })).rejects.toThrow(/the database cannot be used: .*nowhere/);
  });
});

describe('Redis empty, and the database away', () => {
  test('503 until it is back', async () => {
    await WAYS.killed.take();
    await forget(store.redis, own.tenant);
    expect((await holdfast.available('r')).status).toBe(503);
    await WAYS.killed.giveBack();
    await until('it is loaded', async () => (await holdfast.available('r')).status === 200);
  });
});
