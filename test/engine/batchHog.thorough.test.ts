/**
 * No batch keeps Redis busy for long (src/engine/batch.ts): as many requests as fit into one ask for what is
 * dearest to look at. Two cheap requests go first, after which a call has room for the most.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Definition } from '../../src/contract/definitions.ts';
import { MAX_CAPACITY, MAX_NAME_LENGTH, MAX_TREE_DEPTH } from '../../src/domain/maxSizes.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { readsKey } from '../../src/redis/keys.ts';
import { available, check, reserve, unreserve } from '../support/verbs.ts';
import { MAX_MS } from './hog/scriptTimes.ts';
import { range, running, times, useHog } from './hog/state.ts';

const SHARED = 100;
const BATCH = 500;
const READS = 1e8;
const DEEP = MAX_TREE_DEPTH;
const CAPACITY = MAX_CAPACITY;

const item = (name: string, more: Partial<Definition>): Definition => ({
  name,
  capacity: 1,
  blocks: [],
  treePath: null,
  ...more,
});
/** The ancestors of a leaf, which no other leaf has: pools with the longest names. */
const above = (leaf: number) => range(DEEP, (depth) => `${leaf}-${depth}-`.padEnd(MAX_NAME_LENGTH, 'é'));

const registerAll = async (items: readonly Definition[], many: number) => {
  for (let i = 0; i < items.length; i += many)
    await register(running.engine, running.credential, items.slice(i, i + many), NOW);
};

useHog({ readsPerMinute: READS });
beforeAll(async () => {
  const { engine, credential } = running;
  const leaves = range(SHARED, (leaf) =>
    [...above(leaf), `leaf${leaf}`].map((name, depth, path) =>
      item(name, { treePath: path.slice(0, depth).join('>') || null, capacity: depth < DEEP ? CAPACITY : 1 }),
    ),
  );
  for (const path of leaves) await registerAll(path, path.length);
  await registerAll(
    [
      item('wide', { capacity: CAPACITY }),
      item('heavy', { capacity: SHARED, blocks: ['hub'] }),
      item('hub', { blocks: range(4, (i) => `hub${i}`) }),
      ...range(4, (i) => item(`hub${i}`, { blocks: range(60, (j) => `${'"'.repeat(28)}${i}${j}`) })),
      ...range(SHARED, (i) => item(`pool${i}`, { capacity: CAPACITY, blocks: range(64, (j) => `B${j}`) })),
      ...range(64, (i) => item(`B${i}`, { blocks: range(6, (j) => `Z${i}-${j}`) })),
    ],
    20,
  );
  for (let i = 0; i < SHARED; i++) await reserve(engine, credential, [{ resource: 'heavy', requester: `h${i}` }]);
  // Full but for its last slot, and the lowest is one that was taken by its name: a search begins there.
  const lowest = await reserve(engine, credential, [{ resource: 'wide_0', requester: 'r' }]);
  for (let i = 0; i < CAPACITY - 2; i += BATCH)
    await reserve(engine, credential, [
      { resource: 'wide', requester: `w${i}`, count: Math.min(BATCH, CAPACITY - 2 - i) },
    ]);
  await unreserve(engine, credential, lowest);
  await reserve(engine, credential, [{ resource: 'wide_0', requester: 'r' }]);
}, 600_000);

const PLACES: readonly (readonly [string, (i: number) => string])[] = [
  ['leaves at depth 16 below pools', (i) => `leaf${i}`],
  ['paths to them that are not valid', (i) => `x>leaf${i}`],
  ['slots with long plans', (i) => `heavy_${i}`],
  ['pools with 448 blockers', (i) => `pool${i}`],
  ['a large pool that is almost full', () => 'wide'],
  ['names that nobody has', (i) => `${i}-${'é'.repeat(200)}`],
];
/** Asks for them all at once, after two requests that are cheap. */
const asking = (ask: (resource: string) => Promise<unknown>, nameOf: (i: number) => string) => () =>
  Promise.allSettled(['a', 'b', ...range(SHARED, nameOf)].map(ask));
const isAvailable = (resource: string) => available(running.engine, running.credential, resource);
const checked = (resource: string) => check(running.engine, running.credential, [{ resource }]);

describe.each([
  ['available', isAvailable],
  ['check', checked],
] as const)('%s', (verb, ask) => {
  test.each(PLACES)(`${SHARED} requests about %s`, async (title, nameOf) => {
    const all = asking(ask, nameOf);
    expect(await times.longest(`${verb}: ${title}`, all)).toBeLessThan(MAX_MS);
    const outcomes = await all();
    // The first of them. On a busy machine, the last may be refused since they would wait for too long.
    expect(outcomes[2]?.status).toBe('fulfilled');
    for (const one of outcomes) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'overloaded' });
  });

  test(`${SHARED} requests that do not fit into the quota of reads`, async () => {
    const used = () => running.engine.redis.set(readsKey('Enterprise', running.credential), READS, 'PX', 60_000);
    const all = asking(ask, (i) => `leaf${i}`);
    expect(await times.longest(`${verb}: none fits`, all, used)).toBeLessThan(MAX_MS);
    await used();
    expect((await all()).filter(({ status }) => status === 'fulfilled')).toEqual([]);
    await running.engine.redis.del(readsKey('Enterprise', running.credential));
  });
});
