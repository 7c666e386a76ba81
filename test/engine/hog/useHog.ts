/**
 * A Redis of its own with an engine, for tests of how long scripts keep Redis busy. `useHog` starts and stops them.
 * HOG=full prints the figures.
 */
import { afterAll, beforeAll } from 'vitest';
import { type RedisServer, startRedis } from '../../../scripts/redisServer.ts';
import type { TierLimits } from '../../../src/domain/tiers.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { ScriptTimes } from './scriptTimes.ts';

export const IS_FULL = process.env.HOG === 'full';

let server: RedisServer;
export let running: RunningEngine;
export let times: ScriptTimes;

/**
 * To be called at the top of a test file.
 * @param limits of the tenant's tier; what is left out is not limited
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
