/** Slots of a cluster move to another primary under load. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { slotOf } from '../../../src/redis/topology.ts';
import { now } from '../clock.ts';
import type { Part, System, Traits } from '../system.ts';
import { fault, seconds } from './make.ts';
import { ask, primariesOf, somePrimary, whole } from './nodes.ts';

const isCluster = ({ topology }: Traits) => topology === 'cluster';

/** How many keys redis-cli moves at a time. */
const KEYS_AT_A_TIME = 10;

const MOST_ATTEMPTS = 5;

const idOf = async (system: System, part: Part): Promise<string> => String(await ask(system, part, 'CLUSTER', 'MYID'));

/** Moves one slot as redis-cli does. If that fails half-way, it goes on: nobody else would. */
async function moveSlot(system: System, slot: number, source: Part, target: Part): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToMove(system, slot, source, target);
    } catch (error) {
      if (attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

async function tryToMove(system: System, slot: number, source: Part, target: Part): Promise<number> {
  const [from, to] = [await idOf(system, source), await idOf(system, target)];
  await ask(system, target, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from);
  await ask(system, source, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', to);
  let moved = 0;
  for (;;) {
    const told = await ask(system, source, 'CLUSTER', 'GETKEYSINSLOT', slot, KEYS_AT_A_TIME);
    const keys = Array.isArray(told) ? told.map(String) : [];
    if (keys.length === 0) break;
    await system.command(source, 'MIGRATE', target.host, target.port, '', 0, 60_000, 'KEYS', ...keys);
    moved += keys.length;
  }
  // The target first, then the source, then those who only learn of it.
  const others = (await primariesOf(system)).filter((part) => part !== target && part !== source);
  for (const part of [target, source, ...others]) await ask(system, part, 'CLUSTER', 'SETSLOT', slot, 'NODE', to);
  return moved;
}

/** The slots of tenants move one by one, each to a random primary. */
const reshard = fault('reshard', isCluster, async (system, random) => {
  const slots = system.tenants.map(({ tenant }) => slotOf(`{${tenant}}`));
  const details: string[] = [];
  const targets = new Set<Part>();
  for (let i = random.between(1, 4); i > 0; i--) {
    const slot = random.pick(slots);
    const tenant = system.tenants[slots.indexOf(slot)]?.tenant ?? '';
    const source = await system.primaryOf(tenant);
    const target = random.pick((await primariesOf(system)).filter((part) => part !== source));
    const moved = await moveSlot(system, slot, source, target);
    details.push(`slot ${slot} of ${tenant} with ${moved} keys from ${source.name} to ${target.name}`);
    for (const part of [source, target]) targets.add(part);
  }
  await whole(system);
  return { targets: [...targets], detail: `moved ${details.join(', ')}` };
});

const runFile = promisify(execFile);
const runCluster = (...words: readonly string[]) => runFile('redis-cli', ['--cluster', ...words]);

/** redis-cli gives one primary more slots than the others, and evens them out again. */
const rebalance = fault('rebalance', isCluster, async (system, random) => {
  const startedAt = now();
  const favoured = await somePrimary(system, random);
  const address = `${favoured.host}:${favoured.port}`;
  const id = await idOf(system, favoured);
  const weight = (1 + random.next() / 2).toFixed(2);
  const sizes = ['--cluster-threshold', '1', '--cluster-pipeline', String(KEYS_AT_A_TIME)];
  try {
    for (const share of [weight, '1']) {
      await runCluster('rebalance', address, '--cluster-weight', `${id}=${share}`, ...sizes);
      await whole(system);
    }
  } catch (error) {
    // It leaves slots open that it could not move.
    await runCluster('fix', address);
    throw error;
  }
  const detail = `rebalanced to ${weight} at ${favoured.name}, and back, in ${seconds(now() - startedAt)}`;
  return { targets: await primariesOf(system), detail };
});

export const SLOT_FAULTS = [reshard, rebalance];
