/**
 * Checks that Redis is usable: it has a supported version, evicts nothing (an evicted reservation is lost), and runs
 * scripts that write.
 */
import type { RedisClient } from './client.ts';
import { PROBE_KEYS } from './keys.ts';
import { runScript } from './scripts.ts';
import { primariesOf } from './topology.ts';

const OLDEST_MAJOR = 7;

/**
 * Checks every primary. Primaries of a cluster that do not respond are ignored if another one does, so that the tenants
 * of the others are served.
 * @returns the fault of this Redis; null: none
 * @throws HoldfastError unavailable, if Redis cannot be reached
 */
export async function redisFault(redis: RedisClient): Promise<string | null> {
  await any(PROBE_KEYS.map((key) => runScript(redis, 'probe', key)));
  const replies = await Promise.allSettled(primariesOf(redis).map((primary) => primary.info('server', 'memory')));
  const faults = replies.flatMap((reply) => (reply.status === 'fulfilled' ? (faultOf(reply.value) ?? []) : []));
  return faults[0] ?? null;
}

/**
 * Returns the share of its maxmemory, from 0 to 1, that the fullest primary uses.
 * @throws Error if a primary has no maxmemory, or cannot be reached
 */
export async function memoryUsed(redis: RedisClient): Promise<number> {
  const infos = await Promise.all(primariesOf(redis).map((primary) => primary.info('memory')));
  const shares = infos.map((info) => Number(fieldOf(info, 'used_memory')) / Number(fieldOf(info, 'maxmemory')));
  const used = Math.max(...shares);
  if (!Number.isFinite(used)) throw new Error('Redis has no maxmemory');
  return used;
}

/** Returns a field of INFO. */
const fieldOf = (info: string, name: string) => new RegExp(`^${name}:(.*)\r?$`, 'm').exec(info)?.[1]?.trim();

/** @param info the server and memory sections of INFO */
function faultOf(info: string): string | null {
  const version = fieldOf(info, 'redis_version') ?? '0';
  if (Number.parseInt(version, 10) < OLDEST_MAJOR)
    return `Redis ${OLDEST_MAJOR} or later is needed, this is ${version}`;
  // Some managed services leave out the policy, so that it cannot be checked.
  const policy = fieldOf(info, 'maxmemory_policy') ?? 'noeviction';
  return policy === 'noeviction' ? null : `Redis must have maxmemory-policy noeviction, it has ${policy}`;
}

/** Waits until one promise is fulfilled. If none is, throws the error of the first in the list. */
const any = <T>(promises: readonly Promise<T>[]): Promise<T> =>
  Promise.any(promises).catch((error: unknown) => {
    throw error instanceof AggregateError ? error.errors[0] : error;
  });
