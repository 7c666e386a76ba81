/**
 * Notices that a replica has become a primary, whatever made it one: on a busy machine sentinels and cluster nodes may
 * take a primary for dead that is only slow. What that may lose is then in the history, as for any other fault.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '../support/client.ts';
import { REPLICATION_LAG_MS, SERVED_WITHIN } from './faults/make.ts';
import { FAILOVER_PLANNED } from './faults/primaries.ts';
import type { FaultSeen } from './history.ts';
import type { Recorder } from './load/recorder.ts';
import { now } from './random.ts';
import type { Part, System, Tenant } from './system.ts';
import { SERVED_PREFIX } from './things.ts';

/** Longer than any fault keeps a node away. */
const UNTIL_IT_FOLLOWS_MS = 60_000;
const LOOK_EVERY_MS = 200;

/** @returns what ends the watch */
export function watchFailovers(system: System, recorder: Recorder): () => Promise<void> {
  const nodes = system.parts.filter(({ kind }) => kind === 'redis');
  if (system.traits.topology === 'one') return async () => {};
  let isOver = false;
  const watching = follow(system, nodes, () => isOver);
  return async () => {
    isOver = true;
    const found = await watching;
    const planned = recorder.faults.filter(({ kind }) => kind.includes(FAILOVER_PLANNED));
    for (const failover of found) if (!planned.some((fault) => hasMade(fault, failover))) recorder.fault(failover);
  };
}

/** Returns true if a fault promoted that replica on purpose. The fault says what that may lose. */
const hasMade = (fault: FaultSeen, { startedAt, healedAt, targets }: FaultSeen): boolean =>
  startedAt < fault.healedAt && healedAt > fault.startedAt && targets.every((name) => fault.targets.includes(name));

async function follow(system: System, nodes: readonly Part[], isOver: () => boolean): Promise<readonly FaultSeen[]> {
  const found: FaultSeen[] = [];
  const { waitReplicas, replicas } = system.traits;
  const primaries = nodes.length / (replicas + 1);
  const roles = new Map<Part, string>();
  /** When each was last asked before it was a primary: it said that it was a replica, or it did not run. */
  const notPrimaryAt = new Map<Part, number>();
  /** Since when there may have been a primary too many, and who became one. */
  let open: { readonly startedAt: number; readonly promoted: Part } | null = null;
  const close = () => {
    if (open === null) return;
    found.push({
      kind: 'failover',
      targets: [open.promoted.name],
      startedAt: open.startedAt,
      healedAt: now(),
      loses: waitReplicas >= replicas ? 'nothing' : { recentMs: REPLICATION_LAG_MS },
      // Writes that wait for replicas need the old primary, too, as a replica.
      servedWithinMs: waitReplicas === 0 ? SERVED_WITHIN.replaced : UNTIL_IT_FOLLOWS_MS,
      clockStepMs: 0,
      detail: `${open.promoted.name} has become a primary`,
    });
    open = null;
  };
  while (!isOver()) {
    const lookedAt = now();
    const told = await Promise.all(nodes.map(async (node) => [node, await roleOf(system, node)] as const));
    for (const [node, role] of told) {
      const startedAt = notPrimaryAt.get(node);
      if (role === 'master' && roles.get(node) !== 'master' && startedAt !== undefined)
        open ??= { startedAt, promoted: node };
      if (role === 'slave' || !node.isRunning) notPrimaryAt.set(node, lookedAt);
      if (role !== null) roles.set(node, role);
      else if (!node.isRunning) roles.delete(node);
    }
    // The old primary answers as one until it follows, even if it has been killed and comes back.
    if ([...roles.values()].filter((role) => role === 'master').length <= primaries) close();
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  close();
  return found;
}

/** @returns null: it does not answer */
async function roleOf(system: System, node: Part): Promise<string | null> {
  if (!node.isRunning) return null;
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), 500));
  const told: unknown = await Promise.race([system.command(node, 'ROLE').catch(() => null), late]);
  return Array.isArray(told) ? String(told[0]) : null;
}

/** Waits until a service that was broken serves again at all of its addresses. */

const CALL_MS = 1000;

/**
 * Tries to reserve something, and gives it back, at every address.
 * @returns the ms until each of them had served once
 * @throws Error if one has not served within so many ms
 */
export async function untilServed({ addresses, tenants }: System, withinMs: number): Promise<number> {
  const tenant = tenants.find(({ use }) => use === 'main');
  if (tenant === undefined) throw new Error('there is no tenant to ask for');
  const startedAt = now();
  const ask = async ({ name, url }: { name: string; url: string }) => {
    while (!(await isServed(url, name, tenant))) {
      if (now() - startedAt > withinMs) throw new Error(`${name} has not served for ${withinMs} ms`);
      await pause(20);
    }
  };
  await Promise.all(addresses.map(ask));
  return Math.round(now() - startedAt);
}

async function isServed(url: string, name: string, { key }: Tenant): Promise<boolean> {
  const { reserve } = createClient(url, key, AbortSignal.timeout(CALL_MS));
  // Its end is a lease: the campaign's own calls are not in the history.
  const item = { resource: `${SERVED_PREFIX}${name}`, requester: `${SERVED_PREFIX}${name}`, ttlSeconds: 1 };
  const answer = await reserve(item).catch(() => null);
  return answer?.status === 200;
}
