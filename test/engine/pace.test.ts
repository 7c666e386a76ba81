/**
 * What an instance writes for all its tenants at intervals is spread over time, so that thousands of active tenants
 * hold up neither the instance nor Redis.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { PIECE } from '../../src/engine/pace.ts';
import { Activity, lastHour, type Minute } from '../../src/engine/tenant/activity.ts';
import { allRefusals, keptSince } from '../../src/engine/tenant/refusals.ts';
import { ACTIVE_KEY } from '../../src/redis/keys.ts';
import { observeScripts } from '../../src/redis/scripts.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { changeHot } from '../support/hotRecord.ts';
import { until } from '../support/until.ts';

const TENANTS = Array.from({ length: 10_000 }, (_, i) => `tenant-${i}`);

let server: RedisServer;
let running: RunningEngine;
/** The number of scripts that were called in each turn of the event loop. */
const turns: number[] = [];
beforeAll(async () => {
  server = await startRedis(() => {});
  running = await startEngine('asked', server.url);
  const { redis } = running.engine;
  await Promise.all(TENANTS.map((tenant) => changeHot(redis, tenant, { tier: 4 })));
  let inTurn = 0;
  observeScripts(redis, () => {
    if (inTurn++ === 0)
      setImmediate(() => {
        turns.push(inTurn);
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
    await until('a round has begun', () => turns.length > 2);
    countAll();
    // A call of `activity` and one of `refusals` for each tenant of a piece.
    expect(Math.max(...turns)).toBeLessThanOrEqual(2 * PIECE);
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
