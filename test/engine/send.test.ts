import { describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { startRedisNode } from '../../scripts/redisServer.ts';
import { createRedis, send } from '../../src/engine/redis.ts';

describe('a call to a Redis that is not there is given up in time for a 503 within 2 s', () => {
  test.each([
    ['one server', ''],
    ['sentinels', '+sentinel'],
    ['a cluster', '+cluster'],
  ])('%s', async (_, kind) => {
    const redis = createRedis(
      `redis${kind}://127.0.0.1:${await freePort()}${kind === '+sentinel' ? '/name' : ''}`,
      () => {},
    );
    const start = performance.now();
    await expect(send(() => redis.set('key', 'value'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - start).toBeLessThan(2000);
    redis.disconnect();
  });
});

describe('a Redis that does not let us in', () => {
  test.each([
    ['it asks for a password', ''],
    ['it has another one', 'user:wrong@'],
  ])('%s: unavailable, no fault of ours', async (_, credentials) => {
    const port = await freePort();
    const node = await startRedisNode(() => {}, port, ['--requirepass', 'right']);
    const redis = createRedis(`redis://${credentials}127.0.0.1:${port}`, () => {});
    await expect(send(() => redis.set('key', 'value'))).rejects.toMatchObject({ code: 'unavailable' });
    redis.disconnect();
    await node.stop();
  });
});
