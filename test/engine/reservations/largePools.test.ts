/**
 * Pools of more slots than one chunk of a bitmap has (lua/slots/pools.lua): 512.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { reserve, unreserve } from '../../support/verbs.ts';

const CAPACITY = 1100;

let running: RunningEngine;
beforeAll(async () => {
  running = await startEngine();
  const pool = { name: 'desks', capacity: CAPACITY, blocks: [], treePath: null };
  await register(running.engine, running.credential, [pool], 16, NOW);
});
afterAll(() => running.stop());

let requesters = 0;
const held = new Map<number, Awaited<ReturnType<typeof reserve>>[number]>();

/** Reserves so many slots. Returns their indexes. */
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
