/** Waits until a service that was broken serves again at all of its addresses. */
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '../support/client.ts';
import { now } from './clock.ts';
import type { System, Tenant } from './system.ts';
import { SERVED_PREFIX } from './things.ts';

const CALL_MS = 1000;

/**
 * Tries to reserve something, and gives it back, at every address.
 * @returns the ms until each of them had served once
 * @throws Error if one has not served within so many ms
 */
export async function untilServed({ addresses, tenants }: System, withinMs: number): Promise<number> {
  const tenant = tenants.find(({ use }) => use === 'main');
  if (tenant === undefined) throw new Error('there is no tenant to ask for');
  const startedAt = now();
  const ask = async ({ name, url }: { name: string; url: string }) => {
    while (!(await isServed(url, name, tenant))) {
      if (now() - startedAt > withinMs) throw new Error(`${name} has not served for ${withinMs} ms`);
      await pause(20);
    }
  };
  await Promise.all(addresses.map(ask));
  return Math.round(now() - startedAt);
}

async function isServed(url: string, name: string, { key }: Tenant): Promise<boolean> {
  const { reserve } = createClient(url, key, AbortSignal.timeout(CALL_MS));
  // Its end is a lease: the campaign's own calls are not in the history.
  const item = { resource: `${SERVED_PREFIX}${name}`, requester: `${SERVED_PREFIX}${name}`, ttlSeconds: 1 };
  const answer = await reserve(item).catch(() => null);
  return answer?.status === 200;
}
