/**
 * Event streams over time: keepalives, and renewals of their leases. The tests wait for real time, side by side.
 */
import { setTimeout as pause } from 'node:timers/promises';
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
    const began = performance.now();
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    // The instance counts from its start. A busy machine delays this timer as it delays that of the instance.
    const due = pause(15_000).then(() => performance.now());
    await until('a keepalive', () => stream.comments.length === 2);
    const cameAt = performance.now();
    expect(stream.comments).toEqual([': open', ': keepalive']);
    expect(cameAt - began).toBeGreaterThan(14_900);
    expect(cameAt - (await due)).toBeLessThan(1000);
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
