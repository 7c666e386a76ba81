/**
 * Due reservations: scripts and sweeps end each of them once, however many they are.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startRedis } from '../../../scripts/redisServer.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { sweep } from '../../../src/engine/expiry/sweep.ts';
import { active } from '../../../src/engine/reservations/active.ts';
import { expiryKey, expiryShard, tenantKey } from '../../../src/redis/keys.ts';
import { setClock } from '../../support/clock.ts';
import { interceptScript, startEngine } from '../../support/engine.ts';
import { countOf, dueIndexed, looking, many, server as own, startOnOwn, useExpiry } from '../../support/expiry.ts';
import { changeHot, hotOf } from '../../support/hotRecord.ts';
import { all } from '../../support/listed.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { reserve, unreserve } from '../../support/verbs.ts';

useExpiry();

describe('an entry that is due without a lease', () => {
  test('is removed, and neither scripts nor sweeps fail', async () => {
    const running = await startOnOwn();
    const { engine, credential } = running;
    const { tenant } = credential;
    await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 600 }]);
    await reserve(engine, credential, [{ resource: 'endless', requester: 'r' }]);
    await looking.zadd(`{${tenant}}:due`, '1', 'ghost', '2', 'endless');
    await changeHot(looking, tenant, { nextDue: 1 });
    const [result] = await reserve(engine, credential, [{ resource: 'b', requester: 'r' }]);
    expect(result?.status).toBe('ACQUIRED');
    expect(await looking.zrange(`{${tenant}}:due`, '0', '-1')).toEqual(['a']);
    expect(await looking.hkeys(`{${tenant}}:slots`)).toEqual(expect.arrayContaining(['a', 'b', 'endless']));
    running.stop();
  });

  test('nor do they if a plan names a slot that is free', async () => {
    const running = await startOnOwn();
    const { engine, credential } = running;
    await register(engine, credential, [{ name: 'leaf', capacity: 1, blocks: ['ink'], treePath: 'root' }], NOW);
    const held = await reserve(engine, credential, [{ resource: 'leaf', requester: 'r' }]);
    await looking.hdel(`{${credential.tenant}}:slots`, 'ink');
    expect((await unreserve(engine, credential, held)).map(({ released }) => released)).toEqual([['leaf', 'root']]);
    running.stop();
  });
});

describe('a backlog of due reservations', () => {
  test('is ended piece by piece by the next calls, and none of it is ever seen', async () => {
    const running = await startOnOwn();
    const { engine, credential } = running;
    await setClock(engine.redis, credential.tenant, 1_000_000_000_000);
    for (const round of [0, 1, 2, 3]) {
      const items = many(500, 10).map((item) => ({ ...item, resource: `${round}-${item.resource}` }));
      await reserve(engine, credential, items);
    }
    await setClock(engine.redis, credential.tenant, 1_000_000_010_000);
    expect(await all(active(engine, credential))).toEqual([]);
    expect(await countOf(credential.tenant)).toBe(0);
    expect(await looking.exists(`{${credential.tenant}}:due`, `{${credential.tenant}}:slots`)).toBe(0);
    running.stop();
  });
});

describe('the sweep', () => {
  test('ends a lease within 2 s of its end, though the instance that made it is gone', async () => {
    const keys = [makeConfiguredKey(makeTenant())];
    const maker = await startInstance({ keys, redisUrl: own.url });
    await maker.reserve(...many(300, 1), { resource: 'stays', requester: 'r' });
    await maker.stop();
    const worker = await startInstance({ keys, redisUrl: own.url, env: { ROLE: 'worker' } });
    const { tenant } = worker;
    // A busy machine delays this timer as it delays those of the worker.
    const due = pause(2000).then(() => performance.now());
    await until('the sweep', async () => (await countOf(tenant)) === 1);
    expect(performance.now() - (await due)).toBeLessThan(1000);
    expect(await looking.hkeys(`{${tenant}}:slots`)).toEqual(['stays']);
    await until('the due index lets go of the tenant', async () => (await dueIndexed(tenant)) === null);
    await worker.stop();
  });

  test('of several workers at once counts each reservation once', async () => {
    // A Redis of its own, so that no other sweep takes a share.
    const server = await startRedis(() => {});
    const running = await startEngine(makeTenant(), server.url);
    const { engine, credential } = running;
    await setClock(engine.redis, credential.tenant, Date.now() - 60_000);
    for (let i = 0; i < 10; i++) {
      await reserve(
        engine,
        credential,
        many(500, 10).map((item) => ({ ...item, resource: `${i}-${item.resource}` })),
      );
    }
    await engine.redis.del(`{${credential.tenant}}:clock`);
    const ended = await Promise.all([sweep(engine.redis), sweep(engine.redis), sweep(engine.redis)]);
    expect(ended.reduce((sum, one) => sum + one.ended, 0)).toBe(5000);
    running.stop();
    await server.stop();
  });

  test('visits every tenant that is due, though the state of some is broken, and says so', async () => {
    // A Redis of its own, so that no other sweep meets the broken ones.
    const server = await startRedis(() => {});
    const first = makeTenant();
    const inItsShard = () => {
      for (;;) {
        const name = makeTenant();
        if (expiryShard(name) === expiryShard(first)) return name;
      }
    };
    const engines = [await startEngine(first, server.url), await startEngine(inItsShard(), server.url)];
    for (const { engine, credential } of engines) {
      await setClock(engine.redis, credential.tenant, Date.now() - 60_000);
      // More than one chunk.
      for (const round of [0, 1, 2])
        await reserve(
          engine,
          credential,
          many(300, 10).map((item) => ({ ...item, resource: `${round} ${item.resource}` })),
        );
      await engine.redis.del(`{${credential.tenant}}:clock`);
    }
    const redis = engines[0]?.engine.redis;
    if (redis === undefined) throw new Error('no engine');
    // Between the two, by the time at which they are due.
    await redis.zadd(expiryKey(expiryShard(first)), 1, first);
    for (const score of [2, 3, 4]) {
      const broken = inItsShard();
      await redis.set(`{${broken}}:tenant`, 'no hash');
      await redis.zadd(expiryKey(expiryShard(first)), score, broken);
    }
    await expect(sweep(redis)).rejects.toThrow('WRONGTYPE');
    for (const { credential } of engines) expect((await hotOf(redis, credential.tenant)).count).toBe(0);
    expect(await redis.zcard(expiryKey(expiryShard(first)))).toBe(3);
    for (const { stop } of engines) stop();
    await server.stop();
  });

  test('names the tenants whose queue it had to move', async () => {
    // A Redis of its own, so that no other sweep meets the tenants.
    const server = await startRedis(() => {});
    const running = await startEngine(makeTenant(), server.url);
    const { redis } = running.engine;
    const [moving, stuck] = [makeTenant(), makeTenant()];
    for (const tenant of [moving, stuck]) await redis.zadd(expiryKey(expiryShard(tenant)), 1, tenant);
    // A queue that is stuck is a bug, which no request can bring about.
    const { redis: bugged } = interceptScript(running, 'sweep', async (_, key) => [
      'OK',
      0,
      0,
      -1,
      key === tenantKey(stuck) ? 2 : 0,
    ]);
    expect(await sweep(bugged)).toMatchObject({ ended: 0, stuckQueues: [stuck] });
    running.stop();
    await server.stop();
  });

  test('leaves what was released before its end, and what has no end', async () => {
    const running = await startOnOwn();
    const { engine, credential } = running;
    await setClock(engine.redis, credential.tenant, 1_000_000_000_000);
    const [released] = await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 1 }]);
    if (released) await unreserve(engine, credential, [released]);
    await reserve(engine, credential, [{ resource: 'a', requester: 's' }]);
    await setClock(engine.redis, credential.tenant, 1_000_000_100_000);
    await sweep(engine.redis);
    expect(await looking.hkeys(`{${credential.tenant}}:slots`)).toEqual(['a']);
    expect(await countOf(credential.tenant)).toBe(1);
    running.stop();
  });
});
