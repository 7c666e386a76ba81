/**
 * A Redis of its own with an engine, for tests of how long scripts keep Redis busy, and calls of it. HOG=full prints
 * the figures.
 */
import { afterAll, beforeAll } from 'vitest';
import { type RedisServer, startRedis } from '../../../scripts/redisServer.ts';
import { MAX_NAME_LENGTH } from '../../../src/domain/maxSizes.ts';
import type { TierLimits } from '../../../src/domain/tiers.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { reserve } from '../../support/verbs.ts';
import { ScriptTimes } from './scriptTimes.ts';

export const IS_FULL = process.env.HOG === 'full';
export const BATCH = 500;

/** A name of the greatest length, by characters and by bytes. */
export const long = (name: string) => name + 'é'.repeat(MAX_NAME_LENGTH - name.length);

export const reserveOf =
  (...items: { resource: string; requester: string; ttlSeconds?: number; count?: number }[]) =>
  () =>
    reserve(running.engine, running.credential, items);
export const resources = (count: number, name: (i: number) => string, ttlSeconds?: number) =>
  range(count, (i) => ({
    resource: name(i),
    requester: `q${i}`,
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
  }));
let round = 0;
export const fresh = () => `f${round++}-`;

let server: RedisServer;
export let running: RunningEngine;
export let times: ScriptTimes;

/**
 * To be called at the top of a test file.
 * @param limits of the tenant's tier; none if left out
 */
export function useHog(limits: Partial<TierLimits> = {}): void {
  beforeAll(async () => {
    server = await startRedis(() => {});
    running = await startEngine(undefined, server.url, undefined, limits);
    times = await ScriptTimes.of(running.engine.redis);
  });
  afterAll(async () => {
    if (IS_FULL) process.stdout.write(times.report());
    running.stop();
    await server.stop();
  });
}

export const range = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
