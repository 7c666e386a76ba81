/**
 * All that the service does, on each topology of Redis: the engine against its model, every area over HTTP, and what
 * looks at all tenants.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reconcile } from '../../src/engine/expiry/reconcile.ts';
import { expiryKey, expiryShard, tenantKey } from '../../src/redis/keys.ts';
import { ownerOf, slotOf } from '../../src/redis/topology.ts';
import { run } from '../model/history.ts';
import { histories } from '../model/steps.ts';
import { startEngine } from '../support/engine.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { startCluster, startSentinels, type Topology } from '../support/topologies.ts';
import { until } from '../support/until.ts';
import { reserve } from '../support/verbs.ts';
import { watch } from '../support/watch.ts';

const HISTORIES = 6;
const STEPS = 100;
const TENANTS = 12;
/** The slots of each of three primaries. */
const SHARE = Math.ceil(16_384 / 3);

/** Makes tenants that three primaries share evenly. */
const makeTenants = () =>
  Array.from({ length: TENANTS }, (_, i) => {
    for (;;) {
      const tenant = makeTenant();
      if (Math.floor(slotOf(tenantKey(tenant)) / SHARE) === i % 3) return tenant;
    }
  });

describe.each([
  ['a cluster', startCluster, 3],
  ['sentinels', startSentinels, 1],
])('on %s', (_, start, primaries) => {
  let topology: Topology;
  let instances: [Instance, Instance];
  const keys = makeTenants().map((tenant) => makeConfiguredKey(tenant));
  const asTenant = async (instance: Instance, key: string, method: string, path: string, body?: unknown) =>
    (await instance.request(method, path, body, { 'X-Api-Key': key })).body;
  beforeAll(async () => {
    topology = await start({ isPatient: true });
    const env = { MAX_FAILED_AUTHENTICATIONS: '5', TRUSTED_PROXIES: '1' };
    const options = { redisUrl: topology.url, keys };
    const [api, all] = [
      { ...env, ROLE: 'api' },
      { ...env, ROLE: 'all' },
    ];
    instances = await Promise.all([startInstance({ ...options, env: api }), startInstance({ ...options, env: all })]);
  });
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await topology.stop();
  });

  test('the engine does what the model does', async () => {
    await fc.assert(
      fc.asyncProperty(histories(STEPS), async (history) => {
        const engine = await startEngine(makeTenant(), topology.url);
        await run(engine, history).finally(() => engine.stop());
      }),
      { numRuns: HISTORIES, seed: 1, endOnFailure: true },
    );
  });

  test('an instance that waits for fewer replicas than there are warns when it starts, and no other', async () => {
    const replicas = primaries > 1 ? 1 : 2;
    const warnings = ({ logged }: Instance) => logged.filter((line) => line.includes('REDIS_WAIT_REPLICAS'));
    const env = { REDIS_WAIT_REPLICAS: String(replicas) };
    const sure = await startInstance({ redisUrl: topology.url, env });
    const warning = await until('the warning', () => warnings(instances[0])[0]);
    expect(JSON.parse(warning)).toMatchObject({ level: 40, waitReplicas: 0, replicas });
    expect(warnings(sure)).toEqual([]);
    await sure.stop();
  });

  test('tenants are spread over all primaries, and each is served', async () => {
    const [one] = instances;
    expect(new Set(keys.map(({ tenant }) => ownerOf(one.redis, tenantKey(tenant)))).size).toBe(primaries);
    for (const { key } of keys) {
      const item = { resource: 'r', requester: 'a', ttlSeconds: 600 };
      const reserved = await asTenant(one, key, 'POST', '/api/v1/Reservation/reserve', [item]);
      expect(reserved).toMatchObject([{ status: 'ACQUIRED' }]);
    }
  });

  test('trees, pools and blockers, transactions and renewals, resets', async () => {
    const [one, two] = instances;
    await one.register({ name: 'Room', capacity: 2, treePath: 'House', blocks: ['Projector'] });
    const { body } = await two.transaction('ALL_OR_NONE', { requestType: 'RESERVE', resource: 'Room', requester: 'a' });
    expect(body).toMatchObject({ status: 'APPLIED', results: [{ acquiredSlots: { Room: 'Room_0' } }] });
    expect((await one.tree()).body).toMatchObject([{ name: 'House', available: 0, children: [{ available: 1 }] }]);
    const [result] = (await one.reserve({ resource: 'x', requester: 'a', ttlSeconds: 30 })).body;
    const releaseToken = result?.releaseToken ?? '';
    const renewed = await two.renew({ resource: 'x', requester: 'a', releaseToken, ttlSeconds: 60 });
    expect(renewed.body).toMatchObject([{ status: 'RENEWED' }]);
    expect((await two.reset()).body.cleared).toBeGreaterThanOrEqual(2);
    expect((await one.active()).body).toEqual([]);
  });

  test('events of every tenant reach streams on another instance, and leases that nobody touches end by the worker', async () => {
    const [one, two] = instances;
    const streams = await Promise.all(keys.map(({ key }) => watch({ url: two.url, key })));
    for (const { key } of keys) {
      const item = { resource: 'short', requester: 'a', ttlSeconds: 1 };
      await asTenant(one, key, 'POST', '/api/v1/Reservation/reserve', [item]);
    }
    for (const [i, stream] of streams.entries()) {
      const events = await stream.count(3);
      expect(events.map(({ type, tenantId }) => [type, tenantId])).toEqual(
        ['RESERVED', 'RESERVATION_EXPIRED', 'UNRESERVED'].map((type) => [type, keys[i]?.tenant]),
      );
      stream.close();
    }
  });

  test('a request with an Idempotency-Key is carried out once, and the oldest answers make room', async () => {
    const [one, two] = instances;
    const send = (instance: Instance, i: number) =>
      instance.request('POST', '/api/v1/Reservation/reserve', [{ resource: `once ${i}`, requester: 'a' }], {
        'Idempotency-Key': `key-${i}`,
      });
    const isReplayed = async (instance: Instance, i: number) =>
      (await send(instance, i)).headers.get('Idempotency-Replayed') === 'true';
    await send(one, 0);
    expect([await isReplayed(two, 0), await isReplayed(two, 1)]).toEqual([true, false]);
    // As if 16 MiB had been stored since the first of them.
    const answers = `{${one.tenant}}:answers`;
    const [, place = 0] = /^\d+ (\d+)/.exec((await one.redis.lindex(answers, -1)) ?? '') ?? [];
    await one.redis.rpush(answers, `${Date.now()} ${place} ${Number(place) + 16 * 1024 * 1024 - 1} {${one.tenant}}:x`);
    await send(one, 2);
    expect(await one.redis.exists(`{${one.tenant}}:idempotency:key-0`)).toBe(0);
    expect([await isReplayed(two, 2), await isReplayed(two, 0)]).toEqual([true, false]);
  });

  test('failed authentications are counted together', async () => {
    const headers = { 'X-Api-Key': makeConfiguredKey(keys[0]?.tenant ?? '').key, 'X-Forwarded-For': '192.0.2.1' };
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++)
      statuses.push(
        (await instances[i % 2 ? 1 : 0].request('GET', '/api/v1/Resource/tree', undefined, headers)).status,
      );
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('reads are limited across instances', async () => {
    const key = { ...makeConfiguredKey(makeTenant()), tier: 'Free' as const };
    const options = { redisUrl: topology.url, keys: [key], env: { TIERS: '{"Free": {"readsPerMinute": 3}}' } };
    const [one, two] = await Promise.all([startInstance(options), startInstance(options)]);
    const statuses = [];
    for (const instance of [one, two, one, two]) statuses.push((await instance.available('r')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    await Promise.all([one.stop(), two.stop()]);
  });

  test('scripts and functions that Redis forgets in the midst of calls are given to it again', async () => {
    const [one, two] = instances;
    const answers: unknown[] = [];
    for (let round = 0; round < 15; round++) {
      const calls = Array.from({ length: 20 }, async (_, i) => {
        const { key } = keys[i % TENANTS] ?? { key: '' };
        const item = { resource: `flushed ${round} ${i}`, requester: 'a' };
        return asTenant(i % 2 ? one : two, key, 'POST', '/api/v1/Reservation/reserve', [item]);
      });
      await topology.onPrimaries((primary) => primary.script('FLUSH'));
      await topology.onPrimaries((primary) => primary.function('FLUSH'));
      answers.push(...(await Promise.all(calls)));
    }
    for (const answer of answers) expect(answer).toMatchObject([{ status: 'ACQUIRED' }]);
  });

  if (primaries > 1)
    test('a primary that is replaced in good order fails no call, and its streams end', async () => {
      const [one, two] = instances;
      const stream = await watch({ url: two.url, key: one.key });
      let isOver = false;
      const statuses = new Set<number>();
      const calling = (async () => {
        for (let i = 0; !isOver; i++) statuses.add((await one.reserve({ resource: `r ${i}`, requester: 'r' })).status);
      })();
      await topology.replace(slotOf(tenantKey(one.tenant)));
      await until('the stream ends', () => stream.ended === 'in good order');
      let next = await watch({ url: two.url, key: one.key });
      await until('events go on', async () => {
        // One that is opened while the clients follow the replacement is refused or ends, too.
        if (next.ended !== 'no' || !next.head.includes(' 200 ')) {
          next.close();
          next = await watch({ url: two.url, key: one.key });
        }
        return next.events.length >= 10;
      });
      isOver = true;
      await calling;
      expect([...statuses]).toEqual([200]);
      next.close();
    });

  test('the reconciliation finds tenants on all primaries', async () => {
    const tenants = await Promise.all(
      keys.map(async ({ tenant }) => {
        const running = await startEngine(makeTenant(), topology.url);
        await reserve(running.engine, running.credential, [{ resource: tenant, requester: 'r', ttlSeconds: 600 }]);
        running.stop();
        return running.credential.tenant;
      }),
    );
    const { engine, stop } = await startEngine(makeTenant(), topology.url);
    await until('nothing else is left to put back', async () => (await reconcile(engine.redis)) === 0);
    for (const tenant of tenants) await engine.redis.zrem(expiryKey(expiryShard(tenant)), tenant);
    await reconcile(engine.redis);
    for (const tenant of tenants)
      expect(await engine.redis.zscore(expiryKey(expiryShard(tenant)), tenant)).not.toBeNull();
    stop();
  });
});
