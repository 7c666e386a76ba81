import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { startRedis } from '../../../scripts/redisServer.ts';
import type { ReserveItem } from '../../../src/contract/reservations.ts';
import type { Credential } from '../../../src/domain/tenants.ts';
import type { Engine } from '../../../src/engine/call.ts';
import { register } from '../../../src/engine/definitions/register.ts';
import { NOW } from '../../../src/engine/definitions/step.ts';
import { reconcile } from '../../../src/engine/expiry/reconcile.ts';
import { sweep } from '../../../src/engine/expiry/sweep.ts';
import { active } from '../../../src/engine/reservations/active.ts';
import { expiryKey, expiryShard, keysOf, keysOfRequest } from '../../../src/redis/keys.ts';
import { setClock } from '../../support/clock.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { all } from '../../support/listed.ts';
import { redisAddress } from '../../support/redisAddress.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { reserve, reset, unreserve } from '../../support/verbs.ts';

let looking: Redis;
beforeAll(() => {
  looking = new Redis(redisAddress(inject('redisUrl')));
});
afterAll(() => looking.disconnect());

const indexed = (tenant: string) => looking.zscore(expiryKey(expiryShard(tenant)), tenant);
const countOf = async (tenant: string) => Number(await looking.hget(`{${tenant}}:tenant`, 'count'));
const many = (count: number, ttlSeconds: number): ReserveItem[] =>
  Array.from({ length: count }, (_, i) => ({ resource: `m-${i}`, requester: 'r', ttlSeconds }));

/** One call of the script of a reserve, of one item by the requester r. */
const reserveStep = (engine: Engine, credential: Credential, indexed: string, resource: string, leaseMs: number) => {
  const keys = keysOfRequest('reserve', credential);
  return engine.redis.hf_reserve(
    ...keys,
    credential.credentialKey,
    '',
    indexed,
    resource,
    'r',
    leaseMs,
    '',
    'x'.repeat(22),
  );
};

describe('the expiry index', () => {
  let running: RunningEngine;
  let tenant: string;
  const start = Date.now();
  beforeAll(async () => {
    running = await startEngine();
    tenant = running.credential.tenant;
    await setClock(running.engine.redis, tenant, start);
  });
  afterAll(() => running.stop());

  test('does not know a tenant without leases', async () => {
    await reserve(running.engine, running.credential, [{ resource: 'a', requester: 'r' }]);
    expect(await indexed(tenant)).toBeNull();
  });

  test('holds a tenant at the time of its earliest lease, written before the lease is', async () => {
    const { engine, credential } = running;
    await reserve(engine, credential, [{ resource: 'b', requester: 'r', ttlSeconds: 600 }]);
    expect(Number(await indexed(tenant))).toBe(start + 600_000);
    // A shorter one is told to write the index first, and does nothing until that is done.
    expect(await reserveStep(engine, credential, '', 'c', 60_000)).toEqual(['INDEX', start + 60_000, 0]);
    expect(await looking.hexists(`{${tenant}}:slots`, 'c')).toBe(0);
    await reserve(engine, credential, [{ resource: 'c', requester: 'r', ttlSeconds: 60 }]);
    expect(Number(await indexed(tenant))).toBe(start + 60_000);
    // A longer one need not.
    await reserve(engine, credential, [{ resource: 'd', requester: 'r', ttlSeconds: 900 }]);
    expect(Number(await indexed(tenant))).toBe(start + 60_000);
  });

  test('is raised by a sweep to the next lease, and a tenant with none left is taken out', async () => {
    const { engine } = running;
    const shard = expiryKey(expiryShard(tenant));
    const visit = async () => {
      await looking.zadd(shard, 1, tenant);
      await sweep(engine.redis);
    };
    await setClock(engine.redis, tenant, start + 60_000);
    await visit();
    expect(Number(await indexed(tenant))).toBe(start + 600_000);
    expect(await countOf(tenant)).toBe(3);
    await setClock(engine.redis, tenant, start + 900_000);
    await visit();
    expect(await indexed(tenant)).toBeNull();
    expect(await countOf(tenant)).toBe(1);
  });

  test('is left alone by a sweep that it was changed behind', async () => {
    const { engine } = running;
    const shard = expiryKey(expiryShard(tenant));
    await looking.zadd(shard, 5000, tenant);
    await engine.redis.hf_lowerIndex(shard, tenant, 9000);
    await engine.redis.hf_raiseIndex(shard, tenant, '5000', 9000);
    expect(Number(await indexed(tenant))).toBe(4999);
    await engine.redis.hf_raiseIndex(shard, tenant, '4999', 9000);
    expect(Number(await indexed(tenant))).toBe(9000);
  });
});

describe('a lease is in the expiry index whatever sweeps come between the steps of its reserve', () => {
  const start = Date.now();
  const prepared = async () => {
    const running = await startEngine();
    const { engine, credential } = running;
    const { tenant } = credential;
    await setClock(engine.redis, tenant, start);
    await reserve(engine, credential, [{ resource: 'endless', requester: 'r' }]);
    const shard = expiryKey(expiryShard(tenant));
    const isIndexed = async (due: number) =>
      expect(Number((await indexed(tenant)) ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(due);
    return { ...running, tenant, shard, isIndexed };
  };

  test('a sweep visits the tenant between the two calls', async () => {
    const { engine, credential, tenant, shard, isIndexed, stop } = await prepared();
    const [, ms, swept] = z
      .tuple([z.literal('INDEX'), z.number(), z.number()])
      .parse(await reserveStep(engine, credential, '', 'a', 1000));
    await engine.redis.hf_lowerIndex(shard, tenant, ms);
    // The instance stalls, and all that was indexed is due: a sweep finds nothing of the tenant, and takes it out.
    await looking.zadd(shard, 1, tenant);
    await sweep(engine.redis);
    expect(await indexed(tenant)).toBeNull();
    expect(await reserveStep(engine, credential, `${ms} ${swept}`, 'a', 1000)).toEqual(['INDEX', ms, swept + 1]);
    await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 1 }]);
    await isIndexed(ms);
    stop();
  });

  test('the reserve falls between the two steps of a sweep, and the next round of it before the second call', async () => {
    const { engine, credential, tenant, shard, isIndexed, stop } = await prepared();
    await looking.zadd(shard, 5, tenant);
    await engine.redis.hf_sweep(...keysOf('sweep', tenant), '');
    const [, ms, swept] = z
      .tuple([z.literal('INDEX'), z.number(), z.number()])
      .parse(await reserveStep(engine, credential, '', 'a', 600_000));
    await engine.redis.hf_lowerIndex(shard, tenant, ms);
    await engine.redis.hf_raiseIndex(shard, tenant, '5', -1);
    await sweep(engine.redis);
    expect(await reserveStep(engine, credential, `${ms} ${swept}`, 'a', 600_000)).toEqual(['INDEX', ms, swept + 1]);
    await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 600 }]);
    await isIndexed(ms);
    stop();
  });
});

describe('an entry that is due without a lease', () => {
  test('is removed, and neither scripts nor sweeps fail', async () => {
    const running = await startEngine();
    const { engine, credential } = running;
    const { tenant } = credential;
    await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 600 }]);
    await reserve(engine, credential, [{ resource: 'endless', requester: 'r' }]);
    await looking.zadd(`{${tenant}}:due`, '1', 'ghost', '2', 'endless');
    await looking.hset(`{${tenant}}:tenant`, 'nextDue', '1');
    const [result] = await reserve(engine, credential, [{ resource: 'b', requester: 'r' }]);
    expect(result?.status).toBe('ACQUIRED');
    expect(await looking.zrange(`{${tenant}}:due`, '0', '-1')).toEqual(['a']);
    expect(await looking.hkeys(`{${tenant}}:slots`)).toEqual(expect.arrayContaining(['a', 'b', 'endless']));
    running.stop();
  });

  test('nor do they if a plan names a slot that is free', async () => {
    const running = await startEngine();
    const { engine, credential } = running;
    await register(engine, credential, [{ name: 'leaf', capacity: 1, blocks: ['ink'], treePath: 'root' }], 16, NOW);
    const held = await reserve(engine, credential, [{ resource: 'leaf', requester: 'r' }]);
    await looking.hdel(`{${credential.tenant}}:slots`, 'ink');
    expect((await unreserve(engine, credential, held)).map(({ released }) => released)).toEqual([['leaf', 'root']]);
    running.stop();
  });
});

describe('a backlog of due reservations', () => {
  test('is ended piece by piece by whoever comes, and none of it is ever seen', async () => {
    const running = await startEngine();
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
    const maker = await startInstance({ keys });
    await maker.reserve(...many(300, 1), { resource: 'stays', requester: 'r' });
    await maker.stop();
    const worker = await startInstance({ keys, env: { ROLE: 'worker' } });
    const { tenant } = worker;
    await until('the sweep', async () => (await countOf(tenant)) === 1, 3000);
    expect(await looking.hkeys(`{${tenant}}:slots`)).toEqual(['stays']);
    await until('the index lets go of the tenant', async () => (await indexed(tenant)) === null);
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
    expect(ended.reduce((sum, count) => sum + count, 0)).toBe(5000);
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
      // More than one bite.
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
    for (const { credential } of engines) expect(await redis.hget(`{${credential.tenant}}:tenant`, 'count')).toBe('0');
    expect(await redis.zcard(expiryKey(expiryShard(first)))).toBe(3);
    for (const { stop } of engines) stop();
    await server.stop();
  });

  test('leaves what was released before its end, and what has no end', async () => {
    const running = await startEngine();
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

describe('a reset', () => {
  test('leaves nothing behind', async () => {
    const running = await startEngine();
    const { engine, credential } = running;
    const { tenant } = credential;
    await register(engine, credential, [{ name: 'pool', capacity: 600, blocks: ['tool'], treePath: 'root' }], 16, NOW);
    for (const round of [1, 2, 3]) {
      const items = many(300, 600).map(({ requester }, i) => ({
        resource: 'pool',
        requester: `${requester}${i}`,
        ttlSeconds: 600,
      }));
      await register(engine, credential, [{ name: 'root', capacity: 600, blocks: [], treePath: null }], 16, NOW);
      await reserve(engine, credential, items.slice(0, 150));
      await reserve(engine, credential, [...items.slice(150), { resource: 'x_1', requester: 'r' }]);
      expect(await reset(engine, credential)).toBe(301);
      expect(await countOf(tenant)).toBe(0);
      expect(await looking.hget(`{${tenant}}:tenant`, 'resets')).toBe(String(round));
      expect(await looking.exists(...['slots', 'due', 'pools'].map((what) => `{${tenant}}:${what}`))).toBe(0);
    }
    await reserve(engine, credential, [{ resource: 'new', requester: 'r', ttlSeconds: 600 }]);
    const keys = (await looking.keys(`{${tenant}}:*`)).map((key) => key.slice(tenant.length + 3)).sort();
    expect(keys.filter((key) => !key.startsWith('answer:'))).toEqual([
      'definitions',
      'due',
      'index',
      'slots',
      'tenant',
    ]);
    expect(Number(await indexed(tenant))).toBeGreaterThan(Date.now());
    running.stop();
  });

  test('counts what it ended, what was due already left out', async () => {
    const running = await startEngine();
    const { engine, credential } = running;
    const start = Date.now();
    await setClock(engine.redis, credential.tenant, start);
    await reserve(engine, credential, [...many(5, 10), { resource: 'a', requester: 'r', ttlSeconds: 60 }]);
    await setClock(engine.redis, credential.tenant, start + 10_000);
    expect(await reset(engine, credential)).toBe(1);
    running.stop();
  });
});

describe('the reconciliation', () => {
  test('puts back a tenant that the index has lost, or has too late', async () => {
    const running = await startEngine();
    const { engine, credential } = running;
    const { tenant } = credential;
    const shard = expiryKey(expiryShard(tenant));
    const [result] = await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 600 }]);
    const due = Date.parse(result?.expiresAt ?? '');
    for (const lose of [() => looking.zrem(shard, tenant), () => looking.zadd(shard, due + 5000, tenant)]) {
      await lose();
      expect(await reconcile(engine.redis)).toBeGreaterThanOrEqual(1);
      expect(Number(await indexed(tenant))).toBeLessThanOrEqual(due);
    }
    running.stop();
  });

  test('leaves alone what is in order', async () => {
    const running = await startEngine();
    const { engine, credential } = running;
    await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 600 }]);
    const before = await indexed(credential.tenant);
    await reconcile(engine.redis);
    expect(await indexed(credential.tenant)).toBe(before);
    running.stop();
  });
});

describe('a worker that comes back to 100,000 due at once', () => {
  test('ends them all in one turn', async () => {
    // A Redis of its own, so that no other sweep takes a share.
    const server = await startRedis(() => {});
    const running = await startEngine(makeTenant(), server.url);
    const { engine, credential } = running;
    await setClock(engine.redis, credential.tenant, Date.now() - 60_000);
    for (let i = 0; i < 200; i++) {
      const items = many(500, 10).map((item) => ({ ...item, resource: `${i}-${item.resource}` }));
      await reserve(engine, credential, items);
    }
    await engine.redis.del(`{${credential.tenant}}:clock`);
    expect(await sweep(engine.redis)).toBe(100_000);
    running.stop();
    await server.stop();
  });
});
