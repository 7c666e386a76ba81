/**
 * Event streams over time: keepalives, and renewals of their leases. The tests wait for real time, side by side.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { changeHot, hotOf } from '../support/hotRecord.ts';
import { redisAddress } from '../support/redisAddress.ts';
import { startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

let looking: Redis;
beforeAll(() => {
  looking = new Redis(redisAddress(inject('redisUrl')));
});
afterAll(() => looking.disconnect());

describe.concurrent('a stream', () => {
  test('sends `: keepalive` every 15 s', async () => {
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    const opened = performance.now();
    await until('a keepalive', () => stream.comments.length === 2, 25_000);
    expect(stream.comments).toEqual([': open', ': keepalive']);
    expect(Math.abs(performance.now() - opened - 15_000)).toBeLessThan(2000);
    stream.close();
    await holdfast.stop();
  });

  test('misses a message that never comes, at a renewal', async () => {
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    const { messages } = await hotOf(looking, holdfast.tenant);
    await changeHot(looking, holdfast.tenant, { messages: messages + 1 });
    await until('it ends', () => stream.ended === 'in good order', 40_000);
    await holdfast.stop();
  });
});
