/**
 * A look at the expiry index and the count of reservations in Redis, and reserve items with leases.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, inject } from 'vitest';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import { expiryKey, expiryShard } from '../../src/redis/keys.ts';
import { redisAddress } from './redisAddress.ts';

export let looking: Redis;

/** To be called at the top of a test file. */
export function useExpiry(): void {
  beforeAll(() => {
    looking = new Redis(redisAddress(inject('redisUrl')));
  });
  afterAll(() => looking.disconnect());
}

export const indexed = (tenant: string) => looking.zscore(expiryKey(expiryShard(tenant)), tenant);
export const countOf = async (tenant: string) => Number(await looking.hget(`{${tenant}}:tenant`, 'count'));
export const many = (count: number, ttlSeconds: number): ReserveItem[] =>
  Array.from({ length: count }, (_, i) => ({ resource: `m-${i}`, requester: 'r', ttlSeconds }));
