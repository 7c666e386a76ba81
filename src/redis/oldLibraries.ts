/**
 * Deletes the libraries of functions (bundle.ts) that other versions of Holdfast have left in Redis. An instance whose
 * library is deleted loads it again at its next call, so a version that still runs loses nothing.
 */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { RedisClient } from './client.ts';
import { isForbidden } from './functions.ts';
import { primariesOf } from './topology.ts';

/** Sorted set: library → ms since 1970 UTC when a worker of another version first saw it. */
const SEEN_KEY = 'holdfast:libraries';
const KEPT_MS = 7 * 86_400_000;

/** One list of field, value, ... for each library. */
const Listed = z.array(z.array(z.unknown()));

/** Returns none where functions are forbidden. */
async function librariesOf(primary: Redis): Promise<string[]> {
  const list = primary.function('LIST', 'LIBRARYNAME', 'hf_*').catch((error: unknown) => {
    if (isForbidden(error)) return [];
    throw error;
  });
  const listed = Listed.parse(await list);
  return listed.map((fields) => String(fields[fields.indexOf('library_name') + 1]));
}

/**
 * Deletes libraries that were first seen more than 7 days ago.
 * @param own the name of the library of this version
 * @returns the names of those that were deleted
 */
export async function deleteOldLibraries(redis: RedisClient, own: string, nowMs: number): Promise<string[]> {
  const primaries = primariesOf(redis);
  const found = new Set((await Promise.all(primaries.map(librariesOf))).flat());
  found.delete(own);
  const seen = new Map<string, number>();
  for (const name of found) {
    await redis.zadd(SEEN_KEY, 'NX', nowMs, name);
    seen.set(name, Number(await redis.zscore(SEEN_KEY, name)));
  }
  const old = [...found].filter((name) => (seen.get(name) ?? nowMs) < nowMs - KEPT_MS);
  for (const name of old) {
    // Another worker may have deleted it in the meantime.
    await Promise.all(primaries.map((primary) => primary.function('DELETE', name).catch(() => {})));
    await redis.zrem(SEEN_KEY, name);
  }
  return old;
}
