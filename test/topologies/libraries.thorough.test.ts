/**
 * The library of functions in a cluster and behind sentinels (docs/operations/redis.md#functions), while calls run.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { LUA_FOLDER } from '../../src/redis/bundle.ts';
import { tenantKey } from '../../src/redis/keys.ts';
import { slotOf } from '../../src/redis/topology.ts';
import { CLUSTER_OPTIONS } from '../support/forming.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { moveSlot, startCluster, startSentinels, type Topology } from '../support/topologies.ts';
import { until } from '../support/until.ts';

/** Callers that reserve a name, read and release it, one after the other, by instances in turn. */
class Load {
  readonly answers: string[] = [];
  #isOver = false;
  readonly #callers: Promise<void>[];

  constructor(instances: readonly Instance[]) {
    this.#callers = Array.from({ length: 8 }, async (_, caller) => {
      for (let i = 0; !this.#isOver; i++) {
        const instance = instances[(caller + i) % instances.length];
        if (instance !== undefined)
          this.answers.push(await cycle(instance, { resource: `${caller} ${i}`, requester: 'q' }));
      }
    });
  }

  /** Waits until so many further cycles are done. */
  more(count: number): Promise<unknown> {
    const before = this.answers.length;
    return until('calls go on', () => this.answers.length >= before + count);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }
}

/** Returns the statuses of its calls; of one that is refused, the status of the response. */
async function cycle(instance: Instance, item: { resource: string; requester: string }): Promise<string> {
  const held = await instance.reserve({ ...item, ttlSeconds: 600 });
  if (held.status !== 200) return String(held.status);
  const read = await instance.available(item.resource);
  const releaseToken = held.body[0]?.releaseToken ?? undefined;
  const released = await instance.unreserve({ ...item, releaseToken });
  return [
    held.body[0]?.status,
    read.status,
    released.status === 200 ? released.body[0]?.status : released.status,
  ].join();
}
const DONE = 'ACQUIRED,200,RELINQUISHED';

const hasLibrary = (topology: Topology, node: RedisNode) =>
  topology.on(node, async (client) => (await client.function('LIST', 'LIBRARYNAME', 'hf_*')).length > 0);
describe.each([
  ['a cluster', startCluster],
  ['sentinels', startSentinels],
])('on %s', (_, start) => {
  const key = makeConfiguredKey(makeTenant());
  let topology: Topology;
  let one: Instance;
  let other: Instance;
  beforeAll(async () => {
    topology = await start({ isPatient: true });
    // Another version: its text differs.
    const clock = `local isAnother = true\n${readFileSync(join(LUA_FOLDER, 'frame', 'clock.lua'), 'utf8')}`;
    const options = { redisUrl: topology.url, keys: [key] };
    one = await startInstance(options);
    other = await startInstance({ ...options, includes: { 'frame/clock': clock } });
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await topology.stop();
  });

  test('two versions serve a tenant side by side, also when both libraries are deleted', async () => {
    const load = new Load([one, other]);
    for (let round = 0; round < 5; round++) {
      await topology.onPrimaries((primary) => primary.function('FLUSH'));
      await load.more(50);
    }
    await load.stop();
    expect(new Set(load.answers)).toEqual(new Set([DONE]));
    const primary = await topology.primaryOf(slotOf(tenantKey(key.tenant)));
    const libraries = await topology.on(primary, (client) => client.function('LIST', 'LIBRARYNAME', 'hf_*'));
    expect(libraries).toHaveLength(2);
  });

  test('a replica that takes over in good order has the library', async () => {
    const slot = slotOf(tenantKey(key.tenant));
    const before = await topology.primaryOf(slot);
    const load = new Load([one]);
    await load.more(20);
    await topology.replace(slot);
    await load.more(50);
    await load.stop();
    // Behind sentinels, the last writes may be lost (docs/operations/redis.md).
    const mayBeLost = start === startSentinels ? ['ACQUIRED,200,NOT_RESERVED', '503'] : [];
    expect(load.answers.filter((answer) => ![DONE, ...mayBeLost].includes(answer))).toEqual([]);
    const after = await topology.primaryOf(slot);
    expect(after.port).not.toBe(before.port);
    expect(await hasLibrary(topology, after)).toBe(true);
  });
});

describe('a node that joins by CLUSTER MEET', () => {
  let topology: Topology;
  let node: RedisNode;
  let busPort: number;
  let instance: Instance;
  beforeAll(async () => {
    topology = await startCluster({ isPatient: true });
    busPort = await freePort();
    const options = [...CLUSTER_OPTIONS, '--cluster-port', String(busPort)];
    node = await startRedisNode(() => {}, await freePort(), options);
    instance = await startInstance({ redisUrl: topology.url });
  });
  afterAll(async () => {
    await instance.stop();
    await node.stop();
    await topology.stop();
  });

  test('has no library; once it has a slot, the first call on it loads the library, and none fails', async () => {
    const slot = slotOf(tenantKey(instance.tenant));
    await topology.onPrimaries((client) => client.call('CLUSTER', 'MEET', '127.0.0.1', node.port, busPort));
    const id = await topology.on(node, async (client) => String(await client.call('CLUSTER', 'MYID')));
    await until('all primaries know it', async () =>
      (await topology.onPrimaries(async (client) => String(await client.call('CLUSTER', 'NODES')))).every((nodes) =>
        new RegExp(`^${id} .* connected`, 'm').test(nodes),
      ),
    );
    await until('it knows the slots', () =>
      topology.on(node, async (client) => String(await client.cluster('INFO')).includes('cluster_state:ok')),
    );
    expect(await hasLibrary(topology, node)).toBe(false);
    const load = new Load([instance]);
    await load.more(20);
    await moveSlot(topology, slot, 0, node);
    await load.more(50);
    await load.stop();
    expect(load.answers.filter((answer) => answer !== DONE)).toEqual([]);
    expect(await hasLibrary(topology, node)).toBe(true);
  });
});
