/** A client of sentinels, some of which are away. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createRedis } from '../../src/redis/client.ts';
import { startSentinels, type Topology } from '../support/topologies.ts';

let topology: Topology;
beforeAll(async () => {
  topology = await startSentinels({ isPatient: true });
});
afterAll(() => topology.stop());

test('prints nothing: logs are for operators, and have no stacks', async () => {
  const print = vi.spyOn(console, 'error').mockReturnValue();
  const away = '127.0.0.1:1';
  const redis = createRedis(topology.url.replace('redis+sentinel://', `redis+sentinel://${away},`), () => {});
  await Promise.all([once(redis, 'sentinelReconnecting'), once(redis, 'ready')]);
  expect(await redis.ping()).toBe('PONG');
  redis.disconnect();
  // Clients of tests before may print errors of theirs.
  expect(print.mock.calls.filter((texts) => new RegExp(`${away}\\b`).test(texts.join(' ')))).toEqual([]);
  print.mockRestore();
});
