/**
 * How a worker learns that an outbox has something new (docs/specification.md#webhooks): by hints, and by looks.
 */
import { Queue } from 'bullmq';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { outboxState, readSummary } from '../../src/engine/notices/outboxState.ts';
import { DELIVERIES, Hints } from '../../src/notices/hints.ts';
import { lookAtAll, takeHints } from '../../src/notices/worker.ts';
import { createPatientRedis, type RedisClient } from '../../src/redis/client.ts';
import { JOBS_PREFIX } from '../../src/redis/keys.ts';
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
describe('a hint', () => {
  const log = createLogger('silent');

  test('wakes a worker', async () => {
    const receiver = await now.subscribe();
    const hints = new Hints(() => createPatientRedis(inject('redisUrl')));
    const stop = takeHints(connection, now.worker, log);
    await now.happen('a');
    hints.wake(now.tenant);
    await now.isDone();
    expect(receiver.got.map(now.resources)).toEqual([['a']]);
    await Promise.all([stop(), hints.close()]);
  });

  test('is not missed if it comes as soon as a worker looks because of the one before', async () => {
    const queue = new Queue(DELIVERIES, { connection, prefix: JOBS_PREFIX });
    const hint = () => queue.add(DELIVERIES, { tenant: now.tenant }, { deduplication: { id: now.tenant } });
    let woken = 0;
    const wake = () => {
      woken++;
      if (woken < 5) void hint();
    };
    const stop = takeHints(connection, { wake }, log);
    await hint();
    await until('it is woken by each', () => woken === 5);
    await Promise.all([stop(), queue.close()]);
  });
});

describe('a look', () => {
  const look = () => lookAtAll(now.redis, async (after) => (after === '' ? [now.tenant] : []), now.worker);

  test('finds what no hint told of', async () => {
    const receiver = await now.subscribe();
    await now.happen('a');
    await look();
    await now.isDone();
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
