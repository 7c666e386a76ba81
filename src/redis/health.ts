/**
 * Whether Redis can be relied on: its version, that it evicts nothing (a lock that is evicted is a lock that is lost),
 * and that it runs scripts that write.
 */

import type { RedisClient } from './client.ts';
import { PROBE_KEYS } from './keys.ts';
import { send } from './send.ts';
import { primariesOf } from './topology.ts';

const OLDEST_MAJOR = 7;

/**
 * In a cluster, a primary that does not answer makes it unfit only where no other does: the tenants of the others are
 * served meanwhile.
 * @returns what makes this Redis unfit, null where nothing does
 * @throws whatever was thrown where Redis cannot be reached
 */
export async function redisFault(redis: RedisClient): Promise<string | null> {
  await any(PROBE_KEYS.map((key) => send(() => redis.hf_probe(key))));
  const told = await Promise.allSettled(primariesOf(redis).map((primary) => primary.info('server', 'memory')));
  const faults = told.flatMap((one) => (one.status === 'fulfilled' ? (faultOf(one.value) ?? []) : []));
  return faults[0] ?? null;
}

/** @param info what INFO says of server and memory */
function faultOf(info: string): string | null {
  const field = (name: string) => new RegExp(`^${name}:(.*)\r?$`, 'm').exec(info)?.[1]?.trim();
  const version = field('redis_version') ?? '0';
  if (Number.parseInt(version, 10) < OLDEST_MAJOR)
    return `Redis ${OLDEST_MAJOR} or later is needed, this is ${version}`;
  // Some managed services leave the policy out: then it cannot be checked.
  const policy = field('maxmemory_policy') ?? 'noeviction';
  return policy === 'noeviction' ? null : `Redis must have maxmemory-policy noeviction, it has ${policy}`;
}

/** Waits for the first to succeed; throws what the first of them threw where none does. */
const any = <T>(promises: readonly Promise<T>[]): Promise<T> =>
  Promise.any(promises).catch((error: unknown) => {
    throw error instanceof AggregateError ? error.errors[0] : error;
  });
