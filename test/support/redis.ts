/**
 * The real Redis that the tests run on: TEST_REDIS_URL if set, else a container if a Docker engine can run one, else a
 * server process of their own. TEST_REDIS_SERVER names the program of that process, such as valkey-server.
 */
import { RedisContainer } from '@testcontainers/redis';
import type { TestProject } from 'vitest/node';
import { startRedis } from '../../scripts/redisServer.ts';
import { containedOrOwn, type TestServer } from './containers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const { what, url, stop } = await provideRedis();
  process.stdout.write(`Tests run on ${what}\n`);
  project.provide('redisUrl', url);
  return stop;
}

/** Starts the Redis, or takes the given one. */
export async function provideRedis(): Promise<TestServer> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { what: 'the Redis of TEST_REDIS_URL', url: given, stop: async () => {} };
  const program = process.env.TEST_REDIS_SERVER;
  const own = async () => {
    const { url, stop } = await startRedis((line) => process.stdout.write(`${line}\n`));
    return { what: `a ${program || 'redis-server'} process of their own`, url, stop };
  };
  if (program) return own();
  const contained = async () => {
    const container = await new RedisContainer('redis:7-alpine').start();
    return { what: 'a Redis container', url: container.getConnectionUrl(), stop: () => container.stop() };
  };
  return containedOrOwn('Redis', contained, own);
}
