/**
 * Whether Redis can be relied on: its version, that it evicts nothing (a lock that is evicted is a lock that is lost), and
 * that it runs scripts that write.
 */
import type { Redis } from 'ioredis';
import { PROBE_KEY } from './keys.ts';

const OLDEST_MAJOR = 7;

/**
 * @returns what makes this Redis unfit, null where nothing does
 * @throws whatever ioredis throws where Redis cannot be reached
 */
export async function redisFault(redis: Redis): Promise<string | null> {
  const info = await redis.info('server', 'memory');
  const field = (name: string) => new RegExp(`^${name}:(.*)\r?$`, 'm').exec(info)?.[1]?.trim();
  const version = field('redis_version') ?? '0';
  if (Number.parseInt(version, 10) < OLDEST_MAJOR)
    return `Redis ${OLDEST_MAJOR} or later is needed, this is ${version}`;
  // Some managed services leave the policy out: then it cannot be checked.
  const policy = field('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') return `Redis must have maxmemory-policy noeviction, it has ${policy}`;
  await redis.hf_probe(PROBE_KEY);
  return null;
}
