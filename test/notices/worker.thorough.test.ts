/**
 * How a worker learns that an outbox has something new (docs/specification.md#webhooks): by hints, and by looks.
 */
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { outboxState, readSummary } from '../../src/engine/notices/outboxState.ts';
import { Hints } from '../../src/notices/hints.ts';
import { lookAtAll, takeHints } from '../../src/notices/worker.ts';
import { createPatientRedis, type RedisClient } from '../../src/redis/client.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { type Delivering, startDelivering } from '../support/delivering.ts';
import { until } from '../support/until.ts';

let now: Delivering;
let connection: RedisClient;
beforeEach(async () => {
  now = await startDelivering();
  connection = createPatientRedis(inject('redisUrl'));
});
afterEach(async () => {
  await now.stop();
  connection.disconnect();
});
const isDone = () =>
  until('everything is delivered', async () => (await outboxState(now.redis, now.tenant)).entries === 0);

describe('a hint', () => {
  test('wakes a worker, however many come: none is missed while another one is taken', async () => {
    const receiver = await now.subscribe();
    const hints = new Hints(() => createPatientRedis(inject('redisUrl')));
    const stop = takeHints(connection, now.worker, createLogger('silent'));
    for (let i = 0; i < 30; i++) {
      await now.happen(`r${i}`);
      hints.wake(now.tenant);
      // At some moments of the hint before.
      await new Promise((resolve) => setTimeout(resolve, 7 * (i % 11)));
    }
    await isDone();
    expect(receiver.got.flatMap(now.open).map(({ resource }) => resource)).toEqual(
      Array.from({ length: 30 }, (_, i) => `r${i}`),
    );
    await stop();
    await hints.close();
  });
});

describe('a look', () => {
  const look = () => lookAtAll(now.redis, async (after) => (after === '' ? [now.tenant] : []), now.worker);

  test('finds what no hint told of', async () => {
    const receiver = await now.subscribe();
    await now.happen('a');
    await look();
    await isDone();
    expect(receiver.got).toHaveLength(1);
  });

  test('notes how long events wait, but not behind a receiver that fails, and the bytes of outboxes', async () => {
    const receiver = await now.subscribe();
    receiver.answer((response) => response.writeHead(500).end());
    const before = Date.now();
    await now.happen('a');
    await look();
    const { waitingSinceMs, bytes } = await readSummary(now.redis);
    expect(waitingSinceMs).toBeGreaterThanOrEqual(before - 1);
    expect(waitingSinceMs).toBeLessThanOrEqual(Date.now() + 1);
    expect(bytes).toBeGreaterThan(100);
    await until('it has failed', () => now.results.includes('failed'));
    await until('it waits', async () => {
      const [cursor] = (await outboxState(now.redis, now.tenant)).cursors.values();
      return cursor?.isFailing;
    });
    await look();
    expect((await readSummary(now.redis)).waitingSinceMs).toBeNull();
  });
});
