/**
 * Reads of a batch (src/engine/batch.ts): each gets its own reply, and is charged and refused as if it had a
 * call to itself.
 */
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { CheckItem } from '../../src/contract/check.ts';
import type { TierLimits } from '../../src/domain/tiers.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { available } from '../../src/engine/definitions/list.ts';
import { check } from '../../src/engine/reservations/check.ts';
import { observeScripts } from '../../src/redis/scripts.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { makeTenant } from '../support/service.ts';
import { reserve } from '../support/verbs.ts';

const READS = 1000;

let own: RunningEngine;
/** Scripts that were called, in order. */
let called: string[];

/** Starts a tenant that holds `r-0`, `r-2`, ... of `r-0` to `r-59`. */
async function start(limits: Partial<TierLimits>): Promise<void> {
  own = await startEngine(makeTenant(), inject('redisUrl'), {}, limits);
  const held = names('r', 60).filter((_, i) => i % 2 === 0);
  await reserve(
    own.engine,
    own.credential,
    held.map((resource) => ({ resource, requester: `holder of ${resource}` })),
  );
  called = [];
  observeScripts(own.engine.redis, (script) => {
    called.push(script);
    return () => {};
  });
}
beforeEach(() => start({ readsPerMinute: READS }));
afterEach(() => own.stop());

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
/** Each request has a credential of its own, as those of HTTP do. */
const checked = (items: readonly CheckItem[]) => check(own.engine, { ...own.credential }, items);
const isAvailable = (resource: string) => available(own.engine, { ...own.credential }, resource);
const left = async () => (await isAvailable('r-0')).quota[0]?.remaining ?? Number.NaN;

describe('reads of one caller that start together go in batches', () => {
  test('each check gets the replies to its own items', async () => {
    const requests = names('r', 60).map((resource, i) =>
      i % 3 === 0 ? [{ resource }, { resource: 'r-0', requester: 'holder of r-0' }] : [{ resource }],
    );
    const answers = await Promise.all(requests.map(checked));
    expect(called).toEqual(['check']);
    for (const [i, { result }] of answers.entries()) {
      const resource = `r-${i}`;
      const reserved = i % 2 === 0;
      const requester = reserved ? `holder of ${resource}` : null;
      expect(result[0]).toMatchObject({ resource, reserved, requester, reservable: !reserved });
      expect(result.slice(1)).toMatchObject(i % 3 === 0 ? [{ resource: 'r-0', heldByRequester: true }] : []);
    }
    expect(await left()).toBe(READS - 80 - 1);
  });

  test('so does each question whether a resource is available', async () => {
    const answers = await Promise.all(names('r', 60).map(isAvailable));
    expect(called).toEqual(['available']);
    expect(answers.map(({ result }) => result)).toEqual(names('r', 60).map((_, i) => i % 2 === 1));
    expect(await left()).toBe(READS - 60 - 1);
  });
});

describe('reads of a batch at the quota of reads', () => {
  beforeEach(async () => {
    own.stop();
    await start({ readsPerMinute: 10 });
  });

  const outcomesOf = async (requests: readonly Promise<unknown>[]) => {
    const outcomes = await Promise.allSettled(requests);
    for (const one of outcomes)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ code: 'limited', hit: { limitType: 'ReadsPerMinute', limit: 10 } });
    return outcomes.map(({ status }) => status === 'fulfilled');
  };

  test.each([
    ['checks', (name: string) => checked([{ resource: name }])],
    ['questions whether a resource is available', isAvailable],
  ])('as many %s as fit are answered, and the others cost Redis few calls', async (_, ask) => {
    const outcomes = await outcomesOf(names('r', 60).map((name): Promise<unknown> => ask(name)));
    expect(outcomes).toEqual(names('r', 60).map((__, i) => i < 10));
    expect(called).toHaveLength(1);
  });

  test('one that is too large for what is left keeps out no smaller one after it', async () => {
    const sizes = [1, 1, 5, 8, 2, 4, 1];
    const outcomes = await outcomesOf(sizes.map((size) => checked(names('r', size).map((resource) => ({ resource })))));
    expect(outcomes).toEqual([true, true, true, false, true, false, true]);
    expect(called).toHaveLength(1);
  });
});

describe('reads that take too much work together', () => {
  const BLOCKS = 400;
  // Few, since the last ones may not wait longer than their patience, even on a busy machine.
  const wide = names('wide', 20).map((name) => ({ name, capacity: 1, blocks: names(name, BLOCKS), treePath: null }));

  test('are made one by one: each says what it would say alone, and is charged once', async () => {
    for (let i = 0; i < wide.length; i += 10) await register(own.engine, own.credential, wide.slice(i, i + 10), NOW);
    called.length = 0;
    // The first two are cheap, so all others are sent together at first.
    const all = ['r-1', 'r-3', ...wide.map(({ name }) => name)];
    const answers = await Promise.all(all.map((resource) => checked([{ resource }])));
    expect(called).toHaveLength(3 + wide.length);
    expect(answers.map(({ result }) => result[0]?.reservable)).toEqual(all.map(() => true));
    expect(await left()).toBe(READS - all.length - 1);
  });

  test('are not sent together again', async () => {
    const some = names('some', 60).map((name) => ({ name, capacity: 1, blocks: names(name, 5), treePath: null }));
    await register(own.engine, own.credential, some, NOW);
    called.length = 0;
    const twenty = (i: number) => names('some', 60).slice(20 * (i % 3), 20 * (i % 3) + 20);
    const requests = [['r-1'], ['r-3'], ...Array.from({ length: 15 }, (_, i) => twenty(i))];
    await Promise.all(requests.map((all) => checked(all.map((resource) => ({ resource })))));
    // The replies to the first two send five requests each together. Then it is known how much work they are.
    expect(called).toHaveLength(2 + 2 + 15);
  });

  test('so are questions whether a resource is available', async () => {
    const long = (name: string) => name.padEnd(256, 'é');
    const leaves = names('leaf', 60).map((name) => ({
      ...{ name, capacity: 1, blocks: [] },
      treePath: names(name, 16).map(long).join('>'),
    }));
    for (let i = 0; i < leaves.length; i += 5) await register(own.engine, own.credential, leaves.slice(i, i + 5), NOW);
    called.length = 0;
    // Paths that are not valid: all ancestors are looked up to find that out.
    const all = ['r-1', 'r-3', ...leaves.map(({ name }) => `wrong>${name}`)];
    const answers = await Promise.all(all.map(isAvailable));
    expect(called).toHaveLength(3 + leaves.length);
    expect(answers.map(({ result }) => result)).toEqual(all.map((name) => name.startsWith('r-')));
    expect(await left()).toBe(READS - all.length - 1);
  });
});
