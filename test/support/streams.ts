/**
 * Subscribers that are closed after each test, and a look at the leases of streams in Redis.
 */
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { redisAddress } from './redisAddress.ts';
import type { Instance } from './service.ts';
import { watch as open, type Subscriber } from './watch.ts';

export let looking: Redis;
const opened: Subscriber[] = [];
export const watch = async (at: { url: string; key: string }) => {
  const subscriber = await open(at);
  opened.push(subscriber);
  return subscriber;
};

/** To be called at the top of a test file. */
export function useStreams(): void {
  beforeAll(() => {
    looking = new Redis(redisAddress(inject('redisUrl')));
  });
  afterEach(() => {
    for (const subscriber of opened.splice(0)) subscriber.close();
  });
  afterAll(() => looking.disconnect());
}

export const leases = (tenant: string) => looking.zcard(`{${tenant}}:streams`);
export const reserve = (instance: Instance, resource: string) => instance.reserve({ resource, requester: 'r' });
