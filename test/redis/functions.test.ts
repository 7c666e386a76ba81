/**
 * The library of functions in Redis (docs/operations/redis.md#functions): instances load it where it is missing, and
 * run scripts instead where functions are forbidden.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { LUA_FOLDER } from '../../src/redis/bundle.ts';
import { createPatientRedis, type RedisClient } from '../../src/redis/client.ts';
import { deleteOldLibraries } from '../../src/redis/oldLibraries.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const URL = (port: number, user = '') => `redis://${user}127.0.0.1:${port}`;

let node: RedisNode;
let one: Instance;
beforeAll(async () => {
  node = await startRedisNode(() => {}, await freePort());
  one = await startInstance({ redisUrl: URL(node.port) });
});
afterAll(async () => {
  await one.stop();
  await node.stop();
});

let names = 0;
async function reserveAndRelease(instance: Instance): Promise<unknown[]> {
  const item = { resource: `r${names++}`, requester: 'q' };
  const [held] = (await instance.reserve(item)).body;
  const [released] = (await instance.unreserve({ ...item, releaseToken: held?.releaseToken ?? undefined })).body;
  return [held?.status, released?.status];
}
const DONE = ['ACQUIRED', 'RELINQUISHED'];

const librariesIn = async ({ redis }: Instance) =>
  (await redis.function('LIST', 'LIBRARYNAME', 'hf_*')).flatMap((fields) =>
    Array.isArray(fields) ? [String(fields[fields.indexOf('library_name') + 1])] : [],
  );

/** Uses many verbs on a resource of its own. Returns what they answer. */
async function useManyVerbs(instance: Instance): Promise<unknown[]> {
  const resource = `r${names++}`;
  const registered = await instance.register({
    name: resource,
    capacity: 2,
    blocks: [`${resource} tool`],
    treePath: null,
  });
  const item = { resource, requester: 'q' };
  const [held] = (await instance.reserve({ ...item, ttlSeconds: 600 })).body;
  const mine = { ...item, releaseToken: held?.releaseToken ?? undefined };
  const free = await instance.available(resource);
  const checked = await instance.check(item);
  const [renewed] = (await instance.renew({ ...mine, ttlSeconds: 60 })).body;
  const ended = await instance.transaction('ALL_OR_NONE', { requestType: 'UNRESERVE', ...mine });
  return [registered.status, held?.status, free.status, checked.status, renewed?.status, ended.body.status];
}
const ALL_DONE = [200, 'ACQUIRED', 200, 200, 'RENEWED', 'APPLIED'];

/** Reserves names of their own, one after the other by each of some callers, until stop() is called. */
function startCallers(instance: Instance) {
  const answers: unknown[] = [];
  let isOver = false;
  const callers = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const { status, body } = await instance.reserve({ resource: `r${names++}`, requester: 'q' });
      answers.push(status === 200 ? body[0]?.status : status);
    }
  });
  return {
    answers,
    stop: async () => {
      isOver = true;
      await Promise.all(callers);
    },
  };
}

describe('a Redis that does not have the library', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['since somebody has deleted it', () => one.redis.function('FLUSH')],
    ['nor any data', () => one.redis.flushall()],
  ])('%s gets it, and the call is carried out', async (_, forget) => {
    expect(await reserveAndRelease(one)).toEqual(DONE);
    await forget();
    expect(await reserveAndRelease(one)).toEqual(DONE);
    expect(await librariesIn(one)).toHaveLength(1);
  });

  test('since it is deleted again and again loses no call', async () => {
    for (let round = 0; round < 20; round++) {
      const calls = Array.from({ length: 10 }, () => useManyVerbs(one));
      await one.redis.function('FLUSH');
      for (const statuses of await Promise.all(calls)) expect(statuses).toEqual(ALL_DONE);
    }
  });

  test('nor any data, again and again while calls run, loses no call', async () => {
    const load = startCallers(one);
    for (let round = 1; round <= 10; round++) {
      await one.redis.flushall();
      await one.redis.function('FLUSH');
      await until('calls go on', () => load.answers.length > round * 20);
    }
    await load.stop();
    expect(new Set(load.answers)).toEqual(new Set(['ACQUIRED']));
  });

  test('since it has restarted without its data gets it', async () => {
    const { port } = node;
    const load = startCallers(one);
    await until('calls run', () => load.answers.length > 20);
    await node.stop();
    node = await startRedisNode(() => {}, port);
    const before = load.answers.length;
    await until('calls go on', () => load.answers.slice(before).filter((answer) => answer === 'ACQUIRED').length > 20);
    await load.stop();
    // Those that Redis was away from for too long may have been carried out or not.
    expect(load.answers.filter((answer) => answer !== 'ACQUIRED' && answer !== 503)).toEqual([]);
    expect(await reserveAndRelease(one)).toEqual(DONE);
    expect(await librariesIn(one)).toHaveLength(1);
  });
});

describe('two versions', () => {
  const clock = `local isAnother = true\n${readFileSync(join(LUA_FOLDER, 'frame', 'clock.lua'), 'utf8')}`;
  const startOther = () => startInstance({ redisUrl: URL(node.port), includes: { 'frame/clock': clock } });

  test('have a library each, side by side', async () => {
    const other = await startOther();
    const both = Array.from({ length: 100 }, (_, i) => useManyVerbs(i % 2 ? one : other));
    for (const statuses of await Promise.all(both)) expect(statuses).toEqual(ALL_DONE);
    expect(await librariesIn(one)).toHaveLength(2);
    await other.stop();
  });

  test('lose nothing when a worker deletes the library that it has not seen in use for 7 days', async () => {
    const other = await startOther();
    expect(await reserveAndRelease(one)).toEqual(DONE);
    const [own = ''] = await librariesIn(one);
    await reserveAndRelease(other);
    const [another] = (await librariesIn(one)).filter((name) => name !== own);
    const now = Date.now();
    expect(await deleteOldLibraries(one.redis, own, now)).toEqual([]);
    expect(await deleteOldLibraries(one.redis, own, now + 7 * DAY_MS)).toEqual([]);
    expect(await deleteOldLibraries(one.redis, own, now + 7 * DAY_MS + 1)).toEqual([another]);
    expect(await librariesIn(one)).toEqual([own]);
    expect(await reserveAndRelease(other)).toEqual(DONE);
    expect(await reserveAndRelease(one)).toEqual(DONE);
    // It is as if it had just been found.
    expect(await deleteOldLibraries(one.redis, own, now + 8 * DAY_MS)).toEqual([]);
    await other.stop();
  });
});

describe('a user who may not use functions', () => {
  /** No other instance uses it: one would load the library, which who may only call functions could then use. */
  let unused: RedisNode;
  let admin: RedisClient;
  beforeAll(async () => {
    unused = await startRedisNode(() => {}, await freePort());
    admin = createPatientRedis(URL(unused.port));
  });
  afterAll(async () => {
    admin.disconnect();
    await unused.stop();
  });

  const scriptsRun = async () => {
    const calls = (await admin.info('commandstats')).matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm);
    return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
  };

  test.each([
    ['neither call nor load them', '-fcall -function'],
    ['only call them', '-function'],
  ])('who may %s gets scripts', async (_, rights) => {
    await admin.call('ACL', 'SETUSER', 'restricted', 'on', '>secret', '~*', '&*', '+@all', ...rights.split(' '));
    const restricted = await startInstance({ redisUrl: URL(unused.port, 'restricted:secret@') });
    const before = await scriptsRun();
    expect(await reserveAndRelease(restricted)).toEqual(DONE);
    expect(await reserveAndRelease(restricted)).toEqual(DONE);
    expect((await scriptsRun()) - before).toBeGreaterThanOrEqual(4);
    expect(await deleteOldLibraries(restricted.redis, 'own', Date.now())).toEqual([]);
    await restricted.stop();
  });
});

test('while Redis is full, callers can release, renew and read, and are told why they cannot reserve', async () => {
  const keys = [makeConfiguredKey(makeTenant())];
  const full = await startInstance({ redisUrl: URL(node.port), keys });
  const item = { resource: 'kept', requester: 'q' };
  const [held] = (await full.reserve(item)).body;
  const mine = { ...item, releaseToken: held?.releaseToken ?? undefined };
  await full.redis.config('SET', 'maxmemory', '1mb');
  const refused = { status: 503, body: { code: 'UNAVAILABLE', error: expect.stringContaining('is full') } };
  expect(await full.reserve({ resource: 'another', requester: 'q' })).toMatchObject(refused);
  expect(await full.register({ name: 'another', capacity: 2, blocks: [], treePath: null })).toMatchObject(refused);
  expect((await full.active()).body).toMatchObject([item]);
  expect((await full.renew({ ...mine, ttlSeconds: 600 })).body).toMatchObject([{ status: 'RENEWED' }]);
  expect((await full.unreserve(mine)).body).toMatchObject([{ status: 'RELINQUISHED' }]);
  expect((await full.reset()).status).toBe(200);
  await full.redis.config('SET', 'maxmemory', '0');
  expect(await reserveAndRelease(full)).toEqual(DONE);
  await full.stop();
});
