/**
 * The library of functions in Redis (docs/operations/redis.md#functions): instances load it where it is missing, and
 * run scripts instead where functions are forbidden.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { LUA_FOLDER } from '../../src/redis/luaFiles.ts';
import { deleteOldLibraries } from '../../src/redis/oldLibraries.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

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
      const calls = Array.from({ length: 10 }, () => reserveAndRelease(one));
      await one.redis.function('FLUSH');
      for (const statuses of await Promise.all(calls)) expect(statuses).toEqual(DONE);
    }
  });

  test('since it has restarted without its data gets it', async () => {
    const { port } = node;
    await node.stop();
    node = await startRedisNode(() => {}, port);
    expect(await reserveAndRelease(one)).toEqual(DONE);
    expect(await librariesIn(one)).toHaveLength(1);
  });
});

describe('two versions', () => {
  const clock = `local isAnother = true\n${readFileSync(join(LUA_FOLDER, 'frame', 'clock.lua'), 'utf8')}`;
  const startOther = () => startInstance({ redisUrl: URL(node.port), includes: { 'frame/clock': clock } });

  test('have a library each, side by side', async () => {
    const other = await startOther();
    const both = Array.from({ length: 100 }, (_, i) => reserveAndRelease(i % 2 ? one : other));
    for (const statuses of await Promise.all(both)) expect(statuses).toEqual(DONE);
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

const scriptsRun = async () => {
  const stats = await one.redis.info('commandstats');
  return [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce((sum, [, calls]) => sum + Number(calls), 0);
};

describe('a user who may not use functions', () => {
  test.each([
    ['neither call nor load them', '-fcall -function'],
    ['only call them', '-function'],
  ])('who may %s gets scripts', async (_, rights) => {
    await one.redis.function('FLUSH');
    await one.redis.call('ACL', 'SETUSER', 'restricted', 'on', '>secret', '~*', '&*', '+@all', ...rights.split(' '));
    const restricted = await startInstance({ redisUrl: URL(node.port, 'restricted:secret@') });
    const before = await scriptsRun();
    expect(await reserveAndRelease(restricted)).toEqual(DONE);
    expect(await reserveAndRelease(restricted)).toEqual(DONE);
    expect((await scriptsRun()) - before).toBeGreaterThanOrEqual(4);
    expect(await deleteOldLibraries(restricted.redis, 'own', Date.now())).toEqual([]);
    await restricted.stop();
  });
});

test('what frees still works while Redis is full, and what takes is refused', async () => {
  const keys = [makeConfiguredKey(makeTenant())];
  const full = await startInstance({ redisUrl: URL(node.port), keys });
  const item = { resource: 'kept', requester: 'q' };
  const [held] = (await full.reserve(item)).body;
  await full.redis.config('SET', 'maxmemory', '1mb');
  const refused = await full.reserve({ resource: 'another', requester: 'q' });
  expect(refused).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
  const released = await full.unreserve({ ...item, releaseToken: held?.releaseToken ?? undefined });
  expect(released).toMatchObject({ status: 200, body: [{ status: 'RELINQUISHED' }] });
  await full.redis.config('SET', 'maxmemory', '0');
  expect(await reserveAndRelease(full)).toEqual(DONE);
  await full.stop();
});
