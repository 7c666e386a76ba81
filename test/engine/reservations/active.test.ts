import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { active, FencingTokenSet } from '../../../src/engine/reservations/active.ts';
import { slotsKey } from '../../../src/redis/keys.ts';
import { observeScripts } from '../../../src/redis/scripts.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { reserve, unreserve } from '../../support/verbs.ts';

describe('activeReservations while others reserve and release', () => {
  let running: Awaited<ReturnType<typeof startEngine>>;
  let engine: Engine;
  beforeAll(async () => {
    running = await startEngine();
    engine = running.engine;
  });
  afterAll(() => running.stop());

  const take = async (names: string[]) => {
    const results = [];
    for (let i = 0; i < names.length; i += 500) {
      const items = names.slice(i, i + 500).map((resource) => ({ resource, requester: 'r' }));
      results.push(...(await reserve(engine, running.credential, items)));
    }
    return results;
  };

  test('gives each one that was there from start to end exactly once, though the hash shrinks and grows meanwhile', async () => {
    const stays = Array.from({ length: 3000 }, (_, i) => `stay-${i}`);
    const goes = Array.from({ length: 47_000 }, (_, i) => `go-${i}`);
    await take(stays);
    const leaving = await take(goes);
    const seen = new Map<string, number>();
    let pages = 0;
    for await (const page of active(engine, running.credential)) {
      for (const { resource } of page.rows) seen.set(resource, (seen.get(resource) ?? 0) + 1);
      pages++;
      // Early in the walk nearly everything goes, in bites, so that Redis shrinks the table under it; then some come
      // back.
      for (const bite of [0, 1, 2, 3, 4, 5]) {
        const gone = leaving.splice(0, 500 + bite);
        if (gone.length > 0) await unreserve(engine, running.credential, gone);
      }
      if (pages === 40) await take(goes.slice(0, 2000));
    }
    expect(pages).toBeGreaterThan(10);
    expect(stays.filter((name) => seen.get(name) !== 1)).toEqual([]);
    expect(leaving).toEqual([]);
  });

  test('make no rows until these are asked for, since a list may be refused before', async () => {
    const { engine: another, credential, stop } = await startEngine();
    await reserve(another, credential, [{ resource: 'torn', requester: 'r' }]);
    // To make a row of this throws.
    await another.redis.hset(slotsKey(credential.tenant), 'torn', Buffer.from([2]));
    const { value } = await active(another, credential).next();
    expect(value?.total).toBe(1);
    expect(() => value?.rows).toThrow();
    stop();
  });

  test('are read one page ahead, but not before a second page is requested', async () => {
    await take(Array.from({ length: 3000 }, (_, i) => `ahead-${i}`));
    let calls = 0;
    observeScripts(engine.redis, () => {
      calls++;
      return () => {};
    });
    const pages = active(engine, running.credential);
    await pages.next();
    expect(calls).toBe(1);
    await pages.next();
    expect(calls).toBe(3);
    await pages.return(undefined);
    expect(calls).toBe(3);
  });
});

describe('the set of fencing tokens', () => {
  test.each([0, 1000, 100_000])('takes each once, however many, if %i are expected', (expected) => {
    const set = new FencingTokenSet(expected);
    const tokens = Array.from({ length: 100_000 }, (_, i) => 1_795_214_655_103_282 + i * 7);
    expect(tokens.filter((token) => set.add(token)).length).toBe(tokens.length);
    expect(tokens.filter((token) => set.add(token))).toEqual([]);
    expect(set.add(1_795_214_655_103_283)).toBe(true);
  });
});

/**
 * Pools of more slots than one chunk of a bitmap has (lua/slots/pools.lua): 512.
 */
describe('large pools', () => {
  const CAPACITY = 1100;

  let running: RunningEngine;
  beforeAll(async () => {
    running = await startEngine();
    const pool = { name: 'desks', capacity: CAPACITY, blocks: [], treePath: null };
    await register(running.engine, running.credential, [pool], NOW);
  });
  afterAll(() => running.stop());

  let requesters = 0;
  const held = new Map<number, Awaited<ReturnType<typeof reserve>>[number]>();

  /** Reserves so many slots. Returns their numbers. */
  async function take(count: number): Promise<number[]> {
    const items = Array.from({ length: count }, () => ({ resource: 'desks', requester: `r${requesters++}` }));
    const results = await reserve(running.engine, running.credential, items);
    return results.map((result) => {
      const index = Number(result.acquiredSlots?.desks?.slice('desks_'.length));
      held.set(index, result);
      return index;
    });
  }

  async function release(indexes: readonly number[]): Promise<void> {
    const items = indexes.flatMap((index) => held.get(index) ?? []);
    const results = await unreserve(running.engine, running.credential, items);
    expect(results.map(({ status }) => status)).toEqual(indexes.map(() => 'RELINQUISHED'));
    for (const index of indexes) held.delete(index);
  }

  describe('a reservation of a large pool', () => {
    test('gets its lowest free slot, whichever chunk has that', async () => {
      const indexes: number[] = [];
      while (indexes.length < CAPACITY) indexes.push(...(await take(100)));
      expect(indexes).toEqual(indexes.map((_, i) => i));

      await release([1099]);
      expect(await take(1)).toEqual([1099]);
      await release([700, 512, 511, 1]);
      expect(await take(1)).toEqual([1]);
      expect(await take(3)).toEqual([511, 512, 700]);
    });

    test('leaves nothing behind once all are released', async () => {
      const indexes = [...held.keys()].sort((a, b) => a - b);
      expect(indexes).toHaveLength(CAPACITY);
      while (indexes.length > 0) await release(indexes.splice(-100));
      expect(await running.engine.redis.exists(`{${running.credential.tenant}}:pools`)).toBe(0);
    });
  });
});
