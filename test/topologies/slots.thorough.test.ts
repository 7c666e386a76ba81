/**
 * Commands on a slot of a cluster that is being moved: redirections are followed, within bounds.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { createRedis, type RedisClient } from '../../src/redis/client.ts';
import { send } from '../../src/redis/send.ts';
import { slotOf } from '../../src/redis/topology.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { startCluster, type Topology } from '../support/topologies.ts';
import { until } from '../support/until.ts';

const FIRST = '{moving}:first';
const SECOND = '{moving}:second';
const SLOT = slotOf(FIRST);

describe('while a slot is being moved', () => {
  let topology: Topology;
  let redis: RedisClient;
  let target: RedisNode;
  const move = (key: string) =>
    topology
      .primaryOf(SLOT)
      .then((source) =>
        topology.on(source, (client) => client.call('MIGRATE', '127.0.0.1', target.port, key, 0, 5000)),
      );
  beforeAll(async () => {
    topology = await startCluster({ isPatient: true });
    redis = createRedis(topology.url, () => {});
    // The first connections to all nodes may take longer than send() waits.
    await until('Redis', () => send(() => redis.mset(FIRST, '1', SECOND, '2')).catch(() => null));
    const source = await topology.primaryOf(SLOT);
    target = await topology.primaryOf((SLOT + 8192) % 16_384);
    const idOf = (node: RedisNode) => topology.on(node, async (client) => String(await client.call('CLUSTER', 'MYID')));
    const [from, to] = [await idOf(source), await idOf(target)];
    await topology.on(target, (client) => client.call('CLUSTER', 'SETSLOT', SLOT, 'IMPORTING', from));
    await topology.on(source, (client) => client.call('CLUSTER', 'SETSLOT', SLOT, 'MIGRATING', to));
  });
  afterAll(async () => {
    redis.disconnect();
    await topology.stop();
  });

  test('a command whose keys lie on both nodes gets a 503 within 2 s, and never runs on a part of them', async () => {
    await move(FIRST);
    // It gives up after 1.5 s. A busy machine delays this timer as it delays its own.
    const givesUp = pause(1500).then(() => performance.now());
    const told: boolean[] = [];
    const sent = send((mayHaveRun) => {
      told.push(mayHaveRun);
      return redis.mget(FIRST, SECOND);
    });
    await expect(sent).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - (await givesUp)).toBeLessThan(1400);
    expect(told).not.toContain(true);
  });

  test('it is served again once all of them have arrived', async () => {
    await move(SECOND);
    expect(await send(() => redis.mget(FIRST, SECOND))).toEqual(['1', '2']);
  });

  test('a command whose connection was lost is repeated by send() alone, which says so', async () => {
    const told: boolean[] = [];
    const sent = send<unknown>((mayHaveRun) => {
      told.push(mayHaveRun);
      // A script, as the service sends: after a lost connection ioredis may send a plain read to a replica, which has
      // not heard of the move.
      return mayHaveRun
        ? redis.eval("return redis.call('GET', KEYS[1])", 1, FIRST)
        : redis.blpop('{moving}:nothing', 0);
    });
    await until('the connection that waits is closed', async () => {
      const closed = await topology.onPrimaries(async (primary) => {
        const clients = String(await primary.call('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n');
        const id = /^id=(\d+)/.exec(clients.find((client) => client.includes('cmd=blpop')) ?? '')?.[1];
        return id !== undefined && Number(await primary.call('CLIENT', 'KILL', 'ID', id)) === 1;
      });
      return closed.includes(true);
    });
    expect(await sent).toBe('1');
    expect([told.at(0), told.at(-1)]).toEqual([false, true]);
  });
});

/**
 * Where replicas are waited for, a repeat gets the response only once they have what the first request wrote
 * (docs/specification.md#repeating-safely).
 */

test('a repeat waits for replicas too', async () => {
  const [primaryPort, replicaPort] = [await freePort(), await freePort()];
  const primary = await startRedisNode(() => {}, primaryPort);
  const replica = await startRedisNode(() => {}, replicaPort, ['--replicaof', '127.0.0.1', String(primaryPort)]);
  const options = {
    keys: [makeConfiguredKey(makeTenant())],
    redisUrl: `redis://127.0.0.1:${primaryPort}`,
    env: { REDIS_WAIT_REPLICAS: '1' },
  };
  const [one, two] = await Promise.all([startInstance(options), startInstance(options)]);
  await until('the replica', async () => /^slave0:.*state=online/m.test(await one.redis.info('replication')));
  await until('it confirms', async () => (await two.reserve({ resource: 'warm', requester: 'ann' })).status === 200);
  const headers = { 'Idempotency-Key': randomUUID() };
  const send = (instance: typeof one) =>
    instance.request('POST', '/api/v1/Reservation/reserve', [{ resource: 'r', requester: 'ann' }], headers);

  process.kill(replica.pid, 'SIGSTOP');
  expect((await send(one)).status).toBe(503);
  expect(await one.redis.exists(`{${one.tenant}}:idempotency:${headers['Idempotency-Key']}`)).toBe(1);
  expect((await send(two)).status).toBe(503);
  process.kill(replica.pid, 'SIGCONT');
  const done = await until('it is confirmed', async () => {
    const answer = await send(two);
    return answer.status === 200 ? answer : null;
  });
  expect(done.body).toMatchObject([{ status: 'ACQUIRED' }]);
  expect(done.headers.get('Idempotency-Replayed')).toBe('true');
  await Promise.all([one.stop(), two.stop()]);
  await Promise.all([replica.stop(), primary.stop()]);
});
