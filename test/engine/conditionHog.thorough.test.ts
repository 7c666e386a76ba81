/**
 * No script keeps Redis busy for long where half of the slots of a pool of 100,000 are not ready
 * (docs/specification.md#condition).
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import type { AfterUse, Condition } from '../../src/domain/conditions.ts';
import { MAX_NOTE_LENGTH } from '../../src/domain/maxSizes.ts';
import { deleteDefinition, NOW, register } from '../../src/engine/definitions/changes.ts';
import { definitions, tree } from '../../src/engine/definitions/list.ts';
import { setCondition } from '../../src/engine/reservations/conditions.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { runScript } from '../../src/redis/scripts.ts';
import { available, check, reserve, reset, unreserve } from '../support/verbs.ts';
import { MAX_MS } from './hog/scriptTimes.ts';
import { BATCH, fresh, range, running, times, useHog } from './hog/state.ts';

const CAPACITY = 100_000;
const longReason = 'é'.repeat(MAX_NOTE_LENGTH);

const define = (name: string, capacity: number, afterUse: AfterUse) =>
  register(running.engine, running.credential, [{ name, capacity, afterUse, blocks: [], treePath: null }], NOW);
const set = (slots: readonly string[], condition: Condition, reason?: string) =>
  setCondition(
    running.engine,
    running.credential,
    slots.map((resource) => ({ resource, condition, reason })),
  );
/** Sets every second slot of a pool. */
async function setHalf(pool: string, condition: Condition, reason?: string) {
  for (let i = 0; i < CAPACITY; i += 2 * BATCH)
    await set(
      range(BATCH, (j) => `${pool}_${i + 2 * j}`),
      condition,
      reason,
    );
}
const take = (...items: ReserveItem[]) => reserve(running.engine, running.credential, items);

useHog({ readsPerMinute: 1e8 });
beforeAll(async () => {
  await define('used', CAPACITY, 'dirty');
  await setHalf('used', 'ready');
  await define('plain', CAPACITY, 'ready');
  await setHalf('plain', 'dirty', 'coffee');
  await define('last', CAPACITY, 'dirty');
  await set([`last_${CAPACITY - 1}`], 'ready');
  await define('cleaned', CAPACITY, 'dirty');
  // Cleaners hold the first 20,000.
  for (let i = 0; i < 40; i++)
    await take({ resource: 'cleaned', requester: `c${i}`, count: BATCH, condition: 'dirty' });
});

let n = 0;
const one = (resource: string, more: Partial<ReserveItem> = {}) => ({ resource, requester: `r${++n}`, ...more });

const REQUESTS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['reserve of a ready slot', () => take(one('used'))],
  ['reserve of a dirty slot', () => take(one('used', { condition: 'dirty' }))],
  [
    'reserve of the only ready slot, the last one',
    async () => {
      const [held] = await take(one('last'));
      if (held?.status !== 'ACQUIRED') throw new Error(held?.explanation);
      await unreserve(running.engine, running.credential, [{ ...held, releaseToken: held.releaseToken ?? '' }]);
      await set([`last_${CAPACITY - 1}`], 'ready');
    },
  ],
  ['reserve of a dirty slot behind 20,000 that cleaners hold', () => take(one('cleaned', { condition: 'dirty' }))],
  ['reserve of 500 slots that are dirty', () => take(one('plain', { condition: 'dirty', count: BATCH }))],
  ['reserve of 500 slots that are ready', () => take(one('plain', { count: BATCH }))],
  ['reserve by 500 items', () => take(...range(BATCH, () => one('used')))],
  [
    'reserve by 500 items, of which none gets a slot',
    () => take(...range(BATCH, () => one('last', { condition: 'out' }))),
  ],
  [
    'release of 500 slots as broken',
    async () => {
      const [held] = await take(one('plain', { count: BATCH }));
      const item = { ...(held ?? expect.fail()), releaseToken: held?.releaseToken ?? '' };
      await unreserve(running.engine, running.credential, [{ ...item, condition: 'out', reason: longReason }]);
    },
  ],
  [
    'setCondition of 500 slots, with the longest reason',
    () =>
      set(
        range(BATCH, (i) => `plain_${2 * i + 60_000}`),
        n++ % 2 ? 'out' : 'dirty',
        longReason,
      ),
  ],
  [
    'check of 500 slots with the longest reason',
    () =>
      check(
        running.engine,
        running.credential,
        range(BATCH, (i) => ({ resource: `plain_${2 * i + 60_000}` })),
      ),
  ],
  ['available', () => available(running.engine, running.credential, 'used')],
  [
    'tree',
    async () => {
      for await (const _ of tree(running.engine, running.credential));
    },
  ],
  [
    'definitions with a slot out of service',
    async () => {
      for await (const _ of definitions(running.engine, running.credential, { condition: 'out' }));
    },
  ],
  [
    'what is out of service, a piece',
    () => runScript(running.engine.redis, 'outOfService', ...keysOf('outOfService', running.credential.tenant), '0'),
  ],
  ['register with another afterUse', () => define('plain', CAPACITY, n++ % 2 ? 'ready' : 'dirty')],
  [
    'register with half of the capacity',
    async () => {
      await define('cleaned', CAPACITY / 2, 'dirty');
      await define('cleaned', CAPACITY, 'dirty');
    },
  ],
  [
    'register as a single slot',
    async () => {
      const name = fresh();
      await define(name, CAPACITY, 'ready');
      await set(
        range(BATCH, (i) => `${name}_${200 * i}`),
        'out',
        longReason,
      );
      await define(name, 1, 'ready');
    },
  ],
  [
    'deletion',
    async () => {
      const name = fresh();
      await define(name, CAPACITY, 'ready');
      await set(
        range(BATCH, (i) => `${name}_${200 * i}`),
        'dirty',
        longReason,
      );
      await deleteDefinition(running.engine, running.credential, name, false, NOW);
    },
  ],
  [
    'deletion of a pool with 3,000 dirty slots',
    async () => {
      const name = fresh();
      await define(name, CAPACITY, 'ready');
      for (let i = 0; i < 3000; i += BATCH)
        await set(
          range(BATCH, (j) => `${name}_${33 * (i + j)}`),
          'dirty',
          'coffee',
        );
      await deleteDefinition(running.engine, running.credential, name, false, NOW);
    },
  ],
  ['reset', () => reset(running.engine, running.credential)],
];

describe('no request keeps Redis busy for long where half of the slots are not ready', () => {
  test.each(REQUESTS)('%s', async (title, request) => {
    expect(await times.longest(title, request)).toBeLessThan(MAX_MS);
  });
});
