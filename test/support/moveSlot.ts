/**
 * Moves a slot of a cluster to another primary as redis-cli does, but with pauses between keys.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { RedisNode } from '../../scripts/redisServer.ts';
import type { Topology } from './topologies.ts';

/**
 * @param pauseMs before each key
 * @param to the node that gets it; by default another primary
 */
export async function moveSlot(topology: Topology, slot: number, pauseMs: number, to?: RedisNode): Promise<void> {
  const source = await topology.primaryOf(slot);
  const others = await Promise.all([0, 5500, 11_000].map((offset) => topology.primaryOf((slot + offset) % 16_384)));
  const target = to ?? others.find((node) => node.port !== source.port);
  if (target === undefined) throw new Error('there is only one primary');
  const idOf = (node: RedisNode) => topology.on(node, async (client) => String(await client.call('CLUSTER', 'MYID')));
  const [from, toId] = [await idOf(source), await idOf(target)];
  await topology.on(target, (client) => client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from));
  await topology.on(source, (client) => client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId));
  for (;;) {
    const keys = await topology.on(source, (client) => client.call('CLUSTER', 'GETKEYSINSLOT', slot, 1));
    if (!Array.isArray(keys) || keys.length === 0) break;
    await pause(pauseMs);
    await topology.on(source, (client) => client.call('MIGRATE', '127.0.0.1', target.port, String(keys[0]), 0, 5000));
  }
  for (const node of [target, source])
    await topology.on(node, (client) => client.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId));
  await topology.onPrimaries((client) => client.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId));
}
