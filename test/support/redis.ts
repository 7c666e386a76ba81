/**
 * The real Redis that the tests run on: TEST_REDIS_URL if set, else a container if there is a Docker engine, else a
 * server process of their own. TEST_REDIS_SERVER names the program of that process, such as valkey-server.
 */
import { RedisContainer } from '@testcontainers/redis';
import { getContainerRuntimeClient } from 'testcontainers';
import type { TestProject } from 'vitest/node';
import { startRedis } from '../../scripts/redisServer.ts';

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

async function provideRedis(): Promise<{ what: string; url: string; stop: () => Promise<unknown> }> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { what: 'the Redis of TEST_REDIS_URL', url: given, stop: async () => {} };
  const program = process.env.TEST_REDIS_SERVER;
  const docker = program ? null : await getContainerRuntimeClient().catch(() => null);
  if (docker !== null) {
    const container = await new RedisContainer('redis:7-alpine').start();
    return { what: 'a Redis container', url: container.getConnectionUrl(), stop: () => container.stop() };
  }
  const server = await startRedis((line) => process.stdout.write(`${line}\n`));
  return { what: `a ${program || 'redis-server'} process of their own`, url: server.url, stop: server.stop };
}
