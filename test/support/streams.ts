/**
 * Subscribers that are closed after each test, and a look at the leases of streams in Redis.
 */
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, inject, vi } from 'vitest';
import { RENEW_EVERY_MS } from '../../src/engine/tenant/streamLeases.ts';
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

const NEVER_MS = 2 ** 31 - 1;

/**
 * Starts instances of which no stream renews its lease because time passes. So no renewal that came by chance ends a
 * stream that has to end at once, however slow the machine is.
 */
export async function startWithoutRenewals<T>(start: () => Promise<T>): Promise<T> {
  const begin = setInterval;
  const spy = vi
    .spyOn(globalThis, 'setInterval')
    .mockImplementation((act, everyMs) => begin(act, everyMs === RENEW_EVERY_MS ? NEVER_MS : everyMs));
  try {
    return await start();
  } finally {
    spy.mockRestore();
  }
}

export const leases = (tenant: string) => looking.zcard(`{${tenant}}:streams`);
export const reserve = (instance: Instance, resource: string) => instance.reserve({ resource, requester: 'r' });
