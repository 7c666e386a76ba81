/**
 * Compares the queue of the model with what the engine tells of its own: the list of tickets, and how many wait for a
 * name.
 */
import { expect } from 'vitest';
import type { TreeNode } from '../../src/contract/definitions.ts';
import type { WaitingRequest } from '../../src/contract/waiting.ts';
import { DEFAULT_SETTINGS } from '../../src/domain/tenants.ts';
import { waiting } from '../../src/engine/waiting/list.ts';
import type { RunningEngine } from '../support/engine.ts';
import { all, wholeTree } from '../support/listed.ts';
import { check } from '../support/verbs.ts';
import type { Result } from './claims.ts';
import { withoutReasons } from './plans.ts';
import { LAST, type Lasting } from './tickets.ts';
import type { WaitingModel } from './waitingModel.ts';
import { RESOURCES, type Step } from './waitingSteps.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const requestersOf = ({ queue }: WaitingModel) => queue.map(({ requester }) => requester);
const withBelow = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(withBelow)];

/** Notes which tickets the engine lists after a change of definitions. */
export async function noteListed({ engine, credential }: RunningEngine, model: WaitingModel): Promise<void> {
  const keys = (await all(waiting(engine, credential))).map(({ requester, method, resources }) =>
    JSON.stringify([requester, method ?? '', resources]),
  );
  model.isListed = ({ requester, method, items }) =>
    keys.includes(JSON.stringify([requester, method, items.map(({ resource }) => resource)]));
}

/** Returns seconds; null: a session keeps what is reserved */
const longestLeaseOf = (items: readonly Lasting[]): number | null => {
  const leases = items.flatMap((item) => ('ttlSeconds' in item ? [item.ttlSeconds] : []));
  return leases.length < items.length ? null : Math.max(...leases);
};

/** @throws if the engine lists other tickets than the model has, or the model could grant one of them */
export async function compareQueue(
  running: RunningEngine,
  model: WaitingModel,
  areCountsCompared: boolean,
): Promise<void> {
  const { engine, credential } = running;
  const rows = await all(waiting(engine, credential));
  expect(
    withoutReasons(rows, model, requestersOf(model)).map(({ waitsFor, ...row }) => row),
    'queue',
  ).toEqual(
    model.queue.map((ticket) => ({
      requester: ticket.requester,
      resources: ticket.items.map(({ resource }) => resource),
      counts: ticket.items.map(({ count = 1 }) => count),
      ...(ticket.items.some(({ condition }) => condition !== undefined) && {
        conditions: ticket.items.map(({ condition = 'ready' }) => condition),
      }),
      ttlSeconds: longestLeaseOf(ticket.items),
      method: ticket.method === '' ? null : ticket.method,
      priority: ticket.priority,
      since: iso(ticket.since),
      until: iso(ticket.until),
      attended: model.isAttended(ticket),
      apiKeyLabel: null,
    })),
  );
  for (const [i, { waitsFor }] of rows.entries()) expect(model.queue[i]?.lacked, 'waitsFor').toContain(waitsFor);
  const left = model.tickets.length;
  model.settle();
  expect(model.tickets, 'tickets that could be granted').toHaveLength(left);
  await compareKept(running, model);
  if (areCountsCompared) await compareCounts(running, model, rows);
}

/** Of so many names it is compared whether a stranger gets them. */
const MAX_ASKED = 4;

/** Compares whether somebody who comes now gets what is free, but kept. */
async function compareKept({ engine, credential }: RunningEngine, model: WaitingModel): Promise<void> {
  const { slots, counts } = model.keptAhead(LAST);
  const names = [...new Set([...slots, ...counts.keys()])].filter((name) => model.available(name)).slice(0, MAX_ASKED);
  if (names.length === 0) return;
  const checked = await check(
    engine,
    credential,
    names.map((resource) => ({ resource })),
  );
  const before = model.before();
  const expected = names.map((resource) => {
    // With some lease.
    const lease = { ttlSeconds: 366 * 86_400, minTtlSeconds: 1 };
    const { status } = model.reserve({ resource, requester: 'a stranger', ...lease }, null);
    model.undo(before);
    return [resource, status === 'ACQUIRED'];
  });
  expect(
    checked.map(({ resource, reservable }) => [resource, reservable]),
    'whether a stranger gets it',
  ).toEqual(expected);
}

/**
 * Whether a ticket waits for a ready slot, and not for one of its items' conditions: null if that cannot be told, since
 * what it waits for is both what an item asks for and what another one needs besides.
 */
function isForReady({ waitsFor, resources, conditions }: WaitingRequest, model: WaitingModel): boolean | null {
  if (conditions === undefined) return true;
  const isMeant = (name: string) => {
    const { resource = name, slot } = model.meaning(name) ?? {};
    return waitsFor === resource || waitsFor === slot;
  };
  const asked = conditions.filter((_, i) => isMeant(resources[i] ?? ''));
  if (!asked.some((condition) => condition !== 'ready')) return true;
  return asked.length === resources.length && !asked.includes('ready') ? false : null;
}

/** Compares how many wait for each name, to have it ready. */
async function compareCounts(
  { engine, credential }: RunningEngine,
  model: WaitingModel,
  rows: readonly WaitingRequest[],
): Promise<void> {
  const compare = (name: string, waiting: number, what: string) => {
    const at = rows.filter(({ waitsFor }) => waitsFor === name).map((row) => isForReady(row, model));
    const least = at.filter((isReady) => isReady === true).length;
    expect(waiting, what).toBeGreaterThanOrEqual(least);
    expect(waiting, what).toBeLessThanOrEqual(least + at.filter((isReady) => isReady === null).length);
  };
  const checked = await check(
    engine,
    credential,
    RESOURCES.map((resource) => ({ resource })),
  );
  for (const { resource: name, waiting } of withoutReasons(checked, model, requestersOf(model))) {
    const { resource = name, slot } = model.meaning(name) ?? {};
    compare(slot ?? resource, waiting, `waiting for ${name} in check`);
  }
  for (const { name, waiting } of (await wholeTree(engine, credential)).flatMap(withBelow))
    compare(name, waiting, `waiting for ${name} in the tree`);
}

export type Compare = () => Promise<void>;

/** Tells in an error which step it comes from. */
export async function inStep(i: number, step: Step, check: Compare): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof Error) error.message = `step ${i}, ${JSON.stringify(step)}: ${error.message}`;
    throw error;
  }
}

/** The record of a tenant, as startEngine() made it. */
export const recordOf = ({ tenant, credentialKey }: RunningEngine['credential']) => ({
  id: tenant,
  version: null,
  notices: null,
  tier: 'Enterprise' as const,
  suspended: false,
  ...DEFAULT_SETTINGS,
  keys: [{ digest: credentialKey, label: null, grant: null }],
});

/** A result that waits, without from when on it is booked, which its explanation says. */
export const withoutBooked = <One extends Result>(one: One): One => {
  if (one.status !== 'WAITING' || !('bookedFrom' in one)) return one;
  const { bookedFrom, ...rest } = one;
  expect(one.explanation).toBe(`WAITING: booked from ${bookedFrom}`);
  return rest as One;
};

type Told = { results: readonly { explanation: string }[] };

/** @throws if none of the reasons for which a transaction is to be rolled back is told */
export function expectWhy(answer: Told, expected: Told): void {
  const reasons = expected.results.map(({ explanation }) => explanation).filter((one) => one !== 'ROLLED_BACK');
  expect(answer.results.filter(({ explanation }) => reasons.includes(explanation))).not.toEqual([]);
}
