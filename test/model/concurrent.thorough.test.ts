/**
 * Many callers at several instances at once: what each of them saw is explained by some order of the operations, which
 * rules out two owners of a slot; and in that order fencing tokens only rise.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransactionItem } from '../../src/contract/reservations.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { Model } from './model.ts';
import { findOrder, type Operation } from './queue.ts';
import { toDefinition } from './state.ts';

const INSTANCES = 3;
const CALLERS = 6;
const CALLS = 40;

const REGISTRATIONS = [
  { name: 'root', capacity: 3, blocks: [], treePath: [] },
  { name: 'pool', capacity: 2, blocks: ['tool'], treePath: ['root'] },
  { name: 'leaf', capacity: 1, blocks: [], treePath: ['root'] },
];
const RESOURCES = ['pool', 'pool', 'pool_1', 'leaf', 'root', 'tool', 'a', 'b'];

let instances: Instance[];
beforeAll(async () => {
  const keys = [makeConfiguredKey(makeTenant())];
  instances = await Promise.all(Array.from({ length: INSTANCES }, () => startInstance({ keys })));
});
afterAll(() => Promise.all(instances.map((instance) => instance.stop())));

const pick = <T>(list: readonly T[]): T => {
  const one = list[Math.floor(Math.random() * list.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
};

/** One caller's calls, each at an instance of its choice. */
async function call(requester: string, operations: Operation[]): Promise<void> {
  const tokens = new Map<string, string>();
  const unreserveItem = (resource: string) => ({
    resource,
    requester,
    releaseToken: Math.random() < 0.1 ? randomUUID() : tokens.get(resource),
  });
  for (let i = 0; i < CALLS; i++) {
    const instance = pick(instances);
    const resource = pick(RESOURCES);
    const calledAt = performance.now();
    const choice = Math.random();
    const note = (what: unknown, answer: unknown, apply: Operation['apply']) =>
      operations.push({
        calledAt,
        answeredAt: performance.now(),
        what,
        answer: timeless(answer),
        apply: (model) => timeless(apply(model)),
      });

    if (choice < 0.45) {
      const item = { resource, requester };
      const [result] = (await instance.reserve(item)).body;
      if (result?.releaseToken) tokens.set(resource, result.releaseToken);
      note(item, result, (model) => {
        if (result?.status === 'ACQUIRED' && !raiseFence(model, result.fencingToken)) return null;
        return model.reserve(item, result?.releaseToken ?? null);
      });
    } else if (choice < 0.8) {
      const item = unreserveItem(resource);
      const [result] = (await instance.unreserve(item)).body;
      note(item, result, (model) => model.unreserve(item));
    } else {
      const items: TransactionItem[] = [
        { requestType: 'UNRESERVE', ...unreserveItem(resource) },
        { requestType: 'RESERVE', resource: pick(RESOURCES), requester },
        { requestType: 'RESERVE', resource: pick(RESOURCES), requester },
      ];
      const method = pick(['ALL_OR_NONE', 'AS_MANY_AS_POSSIBLE'] as const);
      const { body } = await instance.transaction(method, ...items);
      const told = body.results.map((result) => ('releaseToken' in result ? result.releaseToken : null));
      items.forEach((item, at) => {
        const token = told[at];
        if (token) tokens.set(item.resource, token);
      });
      note({ method, items }, body, (model) => {
        const first = body.results.find(({ status }) => status === 'ACQUIRED');
        if (first && 'fencingToken' in first && !raiseFence(model, first.fencingToken)) return null;
        return model.transaction(method, items, told);
      });
    }
  }
}

/** An answer without the time since when a holder holds something: the model has no clock here. */
const timeless = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === 'since' && value !== null ? 'a time' : value)));

/** Makes the model give out this fencing token next; false where it has given out as high a one. */
function raiseFence(model: Model, fencingToken: number | null): boolean {
  if (fencingToken === null || fencingToken <= model.fence) return false;
  model.fence = fencingToken - 1;
  return true;
}

describe('what callers at several instances saw is explained by some order of the operations', () => {
  test.each([1, 2, 3, 4, 5])('round %i', async () => {
    await instances[0]?.reset();
    await instances[0]?.register(...REGISTRATIONS.map(toDefinition));
    const operations: Operation[] = [];
    await Promise.all(Array.from({ length: CALLERS }, (_, i) => call(`caller-${i % 4}`, operations)));
    expect(operations).toHaveLength(CALLERS * CALLS);
    const start = new Model();
    start.register(REGISTRATIONS);
    const order = findOrder(start, operations);
    expect(order, `the model answers so in no order: ${JSON.stringify(operations)}`).not.toBeNull();
  });
});

describe('the search for an order', () => {
  const operation = (calledAt: number, answeredAt: number, requester: string, status: string): Operation => ({
    calledAt,
    answeredAt,
    what: requester,
    answer: status,
    apply: (model) => model.reserve({ resource: 'r', requester }, requester).status,
  });

  test('finds one where calls overlap', () => {
    const late = operation(0, 10, 'a', 'ALREADY_HELD');
    const early = operation(5, 20, 'b', 'ACQUIRED');
    expect(findOrder(new Model(), [late, early])).toEqual([early, late]);
  });

  test('finds none where two own a slot, or an answer came before its cause', () => {
    expect(findOrder(new Model(), [operation(0, 10, 'a', 'ACQUIRED'), operation(0, 10, 'b', 'ACQUIRED')])).toBeNull();
    expect(findOrder(new Model(), [operation(0, 4, 'a', 'ALREADY_HELD'), operation(5, 9, 'b', 'ACQUIRED')])).toBeNull();
  });
});
