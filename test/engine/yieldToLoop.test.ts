import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { NEWEST, readPiece } from '../../src/engine/history/pieces.ts';
import { PIECE, yieldToLoop } from '../../src/engine/pace.ts';
import { active } from '../../src/engine/reservations/active.ts';
import { Activity, lastHour, type Minute } from '../../src/engine/tenant/activity.ts';
import { allRefusals, keptSince } from '../../src/engine/tenant/refusals.ts';
import { ConcurrentLists, ReadLimiter } from '../../src/limits/reads.ts';
import { listReservations } from '../../src/operations/lists.ts';
import { ACTIVE_KEY } from '../../src/redis/keys.ts';
import { observeScripts } from '../../src/redis/scripts.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { changeHot } from '../support/hotRecord.ts';
import { until } from '../support/until.ts';
import { reserve } from '../support/verbs.ts';

let running: RunningEngine;
beforeAll(async () => {
  running = await startEngine();
});
afterAll(() => running.stop());

const items = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ resource: `${prefix}-${i}`, requester: 'r' }));

/** Runs something while it counts the iterations of the event loop. */
async function countIterations(run: (iteration: () => number) => Promise<unknown>): Promise<void> {
  let iterations = 0;
  let isOver = false;
  const count = () => {
    iterations++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await run(() => iterations);
  isOver = true;
}

describe('pieces of long work', () => {
  test('each have an iteration of the event loop, in order, with other work in between', async () => {
    const began: [name: string, iteration: number][] = [];
    await countIterations((iteration) =>
      Promise.all(['a', 'b', 'c'].map((name) => yieldToLoop().then(() => began.push([name, iteration()])))),
    );
    expect(began.map(([name]) => name)).toEqual(['a', 'b', 'c']);
    // Two iterations apart: in the one between, requests start that arrived meanwhile.
    const [first = 0, ...others] = began.map(([, iteration]) => iteration);
    expect(others.map((iteration) => iteration - first)).toEqual([2, 4]);
  });

  test.each<[what: string, read: (name: string) => Promise<unknown>]>([
    ['results of large batches', (name) => reserve(running.engine, running.credential, items(name, 200))],
    ['rows of pages', () => active(running.engine, running.credential).next()],
    ['pieces of the histories of several tenants', (name) => readPiece(running.engine.redis, name, {}, NEWEST)],
  ])('are the %s', async (_, read) => {
    await reserve(running.engine, running.credential, items('first', 1));
    const ended: number[] = [];
    await countIterations(async (iteration) => {
      const both = ['p', 'q'].map(async (name) => {
        await read(name);
        ended.push(iteration());
      });
      await nextIteration();
      // Both are sent. Redis carries them out meanwhile, so that both replies are there in the next iteration.
      const until = performance.now() + 200;
      while (performance.now() < until);
      await Promise.all(both);
    });
    const [first = 0, second = 0] = ended;
    expect(second - first).toBeGreaterThan(1);
  });

  test('are the pages of lists', async () => {
    const { engine, credential } = running;
    for (let from = 0; from < 1500; from += 500) await reserve(engine, credential, items(`r${from}`, 500));
    const activity = new Activity(engine.redis, createLogger('silent'));
    const deps = { engine, activity, reads: new ReadLimiter(engine), listings: new ConcurrentLists() };
    const read: number[] = [];
    await countIterations((iteration) =>
      Promise.all(
        [1, 2, 3].map(async () => {
          const list = await listReservations(deps, credential);
          for await (const _ of list.pages) read.push(iteration());
          list.close();
        }),
      ),
    );
    await activity.close();
    expect(read.length).toBeGreaterThan(9);
    expect(new Set(read).size).toBe(read.length);
  });
});

/**
 * An instance spreads its periodic writes for all its tenants over time, so that thousands of active tenants
 * hold up neither the instance nor Redis.
 */
describe('work for many tenants at a pace', () => {
  const TENANTS = Array.from({ length: 10_000 }, (_, i) => `tenant-${i}`);

  let server: RedisServer;
  let running: RunningEngine;
  /** The number of scripts that were called in each iteration of the event loop. */
  const iterations: number[] = [];
  beforeAll(async () => {
    server = await startRedis(() => {});
    running = await startEngine('asked', server.url);
    const { redis } = running.engine;
    await Promise.all(TENANTS.map((tenant) => changeHot(redis, tenant, { tier: 4 })));
    let inTurn = 0;
    observeScripts(redis, () => {
      if (inTurn++ === 0)
        setImmediate(() => {
          iterations.push(inTurn);
          inTurn = 0;
        });
      return () => {};
    });
  });
  afterAll(async () => {
    running.stop();
    await server.stop();
  });

  describe('the activity of 10,000 tenants', () => {
    test('is written a piece at a time, and what is left when the instance ends is written then', async () => {
      const { engine } = running;
      const activity = new Activity(engine.redis, createLogger('silent'));
      const countAll = () => {
        for (const tenant of TENANTS) {
          const credential = { tenant, credentialKey: 'unknown', kind: 'key' } as const;
          activity.count(credential, { operations: 2, refusals: 1 });
          activity.countRefused(credential, 'printer');
        }
      };
      countAll();
      await until('a round has begun', () => iterations.length > 2);
      countAll();
      // A call of `activity` and one of `refusals` for each tenant of a piece.
      expect(Math.max(...iterations)).toBeLessThanOrEqual(2 * PIECE);
      await activity.close();
      expect(await engine.redis.zcard(ACTIVE_KEY)).toBe(TENANTS.length);
      const minutes: Minute[] = [];
      for (const tenant of TENANTS.filter((_, i) => i % 10 === 0)) minutes.push(...(await lastHour(engine, tenant)));
      const sum = (of: 'operations' | 'refusals' | 'requests') => minutes.reduce((all, minute) => all + minute[of], 0);
      expect([sum('operations'), sum('refusals'), sum('requests')]).toEqual([4000, 2000, 2000]);
      for (const tenant of ['tenant-0', 'tenant-5000', 'tenant-9999']) {
        let refused = 0;
        for await (const counts of allRefusals(engine.redis, tenant, keptSince(), Date.now()))
          for (const { count } of counts) refused += count;
        expect(refused).toBe(2);
      }
    });
  });
});
