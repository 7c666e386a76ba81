/**
 * Redlock on one node: sends the commands of the package `redlock` directly, since the package has had no release since
 * 2022 and its own promises would slow the peer down.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { RedisServer } from '../../scripts/redisServer.ts';
import { createRedis } from '../../src/redis/client.ts';
import { freshName } from '../requests.ts';
import type { Peer } from './peer.ts';

/** The name in tables. The Redis of the service stores nothing on disk either. */
export const REDLOCK = 'redlock on the same Redis (nothing on disk)';

const UNLOCK = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end`;
const TTL_MS = 3_600_000;

export interface Redlock extends Peer {
  /** @returns whether the name was free and is now locked with the token */
  lock(name: string, token: string): Promise<boolean>;
  unlock(name: string, token: string): Promise<void>;
}

/** Uses a running Redis. All clients share a connection, as in the service. */
export async function startRedlock({ url, pid }: Pick<RedisServer, 'url' | 'pid'>): Promise<Redlock> {
  const redis = createRedis(url, () => {});
  await new Promise((resolve) => redis.once('ready', resolve));
  const sha = z.string().parse(await redis.script('LOAD', UNLOCK));
  const lock = async (name: string, token: string) => (await redis.set(name, token, 'PX', TTL_MS, 'NX')) === 'OK';
  const unlock = async (name: string, token: string) => {
    if ((await redis.evalsha(sha, 1, name, token)) !== 1) throw new Error(`${name} was lost`);
  };
  return {
    name: REDLOCK,
    pid,
    lock,
    unlock,
    clients: async (count) =>
      Array.from({ length: count }, () => async () => {
        const [name, token] = [`lock:${freshName()}`, newToken()];
        if (!(await lock(name, token))) throw new Error(`${name} was taken`);
        await unlock(name, token);
      }),
    stop: async () => redis.disconnect(),
  };
}

/** Makes tokens as the package does. */
export const newToken = (): string => randomBytes(16).toString('hex');
