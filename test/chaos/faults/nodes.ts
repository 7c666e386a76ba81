/** Which Redis is what just now, and whether all of them form one topology again. */

import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { slotOf } from '../../../src/redis/topology.ts';
import { until } from '../../support/until.ts';
import type { Random } from '../random.ts';
import { now } from '../random.ts';
import type { Part, System, Traits } from '../system.ts';
import { fault, partsOf, seconds } from './make.ts';

/** After this time a topology that is not whole again is an error of the setup, not of the service. */
const WHOLE_WITHIN_MS = 60_000;

/** The longest that a command may take, on a machine that is busy. */
const PATIENCE_MS = 10_000;

/** The sentinels' name for the primary. */
export const SENTINEL_NAME = 'holdfast';

/** Runs a command at a Redis that may be dead or stopped. */
export async function ask(system: System, part: Part, ...words: readonly (string | number)[]): Promise<unknown> {
  const silence = async () => {
    await pause(PATIENCE_MS, undefined, { ref: false });
    throw new Error(`${part.name} does not answer`);
  };
  return Promise.race([system.command(part, ...words), silence()]);
}

export interface Role {
  readonly isPrimary: boolean;
  /** Only of a replica: whether it follows its primary without delay. */
  readonly isFollowing: boolean;
}

export async function roleOf(system: System, part: Part): Promise<Role> {
  const info = String(await ask(system, part, 'INFO', 'replication'));
  const isPrimary = info.includes('role:master');
  const isFollowing = info.includes('master_link_status:up') && !info.includes('master_sync_in_progress:1');
  return { isPrimary, isFollowing };
}

/** All primaries, or all replicas. */
async function withRole(system: System, isPrimary: boolean): Promise<readonly Part[]> {
  const nodes = partsOf(system, 'redis');
  const roles = await Promise.all(nodes.map((node) => roleOf(system, node)));
  return nodes.filter((_, i) => roles[i]?.isPrimary === isPrimary);
}
export const primariesOf = (system: System) => withRole(system, true);
export const replicasOf = (system: System) => withRole(system, false);

/** The primary of a tenant that is called; the one of `main` in half of the cases. */
export const somePrimary = (system: System, random: Random): Promise<Part> =>
  system.primaryOf((random.chance(0.5) ? system.tenants[0] : undefined)?.tenant ?? random.pick(system.tenants).tenant);

/** Waits until each Redis runs, each replica follows, and the sentinels or the nodes of the cluster agree. */
export const whole = (system: System): Promise<unknown> =>
  until('the topology is whole', () => isWhole(system).catch(() => false), WHOLE_WITHIN_MS);

async function isWhole(system: System): Promise<boolean> {
  const { topology, replicas } = system.traits;
  const nodes = partsOf(system, 'redis');
  const roles = await Promise.all(nodes.map((node) => roleOf(system, node)));
  const primaries = roles.filter(({ isPrimary }) => isPrimary).length;
  if (primaries * (replicas + 1) !== nodes.length) return false;
  if (!roles.every(({ isPrimary, isFollowing }) => isPrimary || isFollowing)) return false;
  if (topology === 'cluster') return isClusterWhole(system, nodes);
  if (topology === 'sentinel') return areSentinelsAgreed(system, nodes, roles);
  return true;
}

async function isClusterWhole(system: System, nodes: readonly Part[]): Promise<boolean> {
  for (const node of nodes) {
    if (!String(await ask(system, node, 'CLUSTER', 'INFO')).includes('cluster_state:ok')) return false;
    if (/fail|handshake|noaddr/.test(String(await ask(system, node, 'CLUSTER', 'NODES')))) return false;
  }
  return true;
}

async function areSentinelsAgreed(system: System, nodes: readonly Part[], roles: readonly Role[]): Promise<boolean> {
  const primary = nodes[roles.findIndex(({ isPrimary }) => isPrimary)];
  for (const sentinel of partsOf(system, 'sentinel')) {
    const told = await ask(system, sentinel, 'SENTINEL', 'MASTER', SENTINEL_NAME);
    const fields = Array.isArray(told) ? told.map(String) : [];
    const field = (name: string) => fields[fields.indexOf(name) + 1];
    if (field('ip') !== primary?.host || field('port') !== String(primary?.port)) return false;
    if (field('flags') !== 'master' || Number(field('num-slaves')) !== system.traits.replicas) return false;
  }
  return true;
}

/**
 * Waits until another Redis is the primary of a tenant.
 * @returns when that was
 */
export async function replaced(system: System, tenant: string, old: Part): Promise<number> {
  await until(
    `${old.name} is replaced`,
    async () => (await system.primaryOf(tenant).catch(() => old)).name !== old.name,
    WHOLE_WITHIN_MS,
  );
  return now();
}

/** Slots of a cluster move to another primary under load. */

const isCluster = ({ topology }: Traits) => topology === 'cluster';

/** Number of keys that redis-cli moves at a time. */
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
