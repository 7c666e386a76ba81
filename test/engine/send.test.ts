import { describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
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
