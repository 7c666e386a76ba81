/**
 * A Redis of its own, since workers of other tests would sweep its tenants, a look at the due index and the count of
 * reservations in it, and reserve items with leases. `useExpiry` starts and stops it.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import { expiryKey, expiryShard } from '../../src/redis/keys.ts';
import { type RunningEngine, startEngine } from './engine.ts';
import { hotOf } from './hotRecord.ts';
import { redisAddress } from './redisAddress.ts';
import { makeTenant } from './service.ts';

export let server: RedisServer;
export let looking: Redis;

/** To be called at the top of a test file. */
export function useExpiry(): void {
  beforeAll(async () => {
    server = await startRedis(() => {});
    looking = new Redis(redisAddress(server.url));
  });
  afterAll(async () => {
    looking.disconnect();
    await server.stop();
  });
}

/** Starts an engine with a tenant of its own on that Redis. */
export const startOnOwn = (): Promise<RunningEngine> => startEngine(makeTenant(), server.url);

export const dueIndexed = (tenant: string) => looking.zscore(expiryKey(expiryShard(tenant)), tenant);
export const countOf = async (tenant: string) => (await hotOf(looking, tenant)).count;
export const many = (count: number, ttlSeconds: number): ReserveItem[] =>
  Array.from({ length: count }, (_, i) => ({ resource: `m-${i}`, requester: 'r', ttlSeconds }));
