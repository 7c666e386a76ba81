/**
 * What deliveries of a tenant do when something is missing, away or too much (docs/specification.md#webhooks).
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dropCursor, startCursor } from '../../src/engine/notices/cursors.ts';
import { outboxState } from '../../src/engine/notices/outboxState.ts';
import { cursorsKey } from '../../src/redis/keys.ts';
import { type Delivering, startDelivering } from '../support/delivering.ts';
import { until } from '../support/until.ts';

let now: Delivering;
beforeEach(async () => {
  now = await startDelivering();
});
afterEach(() => now.stop());

const wake = () => now.worker.wake(now.tenant);

describe('what is missing', () => {
  test('is told by a GAP with null to a subscription that was enabled again, also if nothing follows', async () => {
    const receiver = await now.subscribe();
    await dropCursor(now.redis, now.tenant, receiver.id);
    await now.happen('dropped');
    await startCursor(now.redis, now.tenant, receiver.id, 'end', true);
    wake();
    await until('a delivery', () => receiver.got.length === 1);
    await now.happen('b');
    wake();
    await until('another one', () => receiver.got.length === 2);
    const events = receiver.got.flatMap(now.open);
    expect(events).toMatchObject([{ type: 'GAP', missed: null, tenantId: now.tenant }, { resource: 'b' }]);
  });

  test('is told by a GAP with null if Redis has lost the cursor', async () => {
    const receiver = await now.subscribe();
    await now.redis.del(cursorsKey(now.tenant));
    await now.happen('a');
    wake();
    await now.isDone();
    expect(receiver.got.flatMap(now.open)).toMatchObject([{ type: 'GAP', missed: null }, { resource: 'a' }]);
  });
});

describe('deliveries of a tenant', () => {
  test('has at most four requests in flight, over all workers', async () => {
    const receivers = await Promise.all(Array.from({ length: 6 }, () => now.subscribe()));
    for (const receiver of receivers) receiver.answer(() => {});
    await now.happen('a');
    const other = now.startWorker();
    wake();
    other.wake(now.tenant);
    const inFlight = () => receivers.reduce((sum, receiver) => sum + receiver.inFlight(), 0);
    await until('four requests', () => inFlight() === 4);
    wake();
    other.wake(now.tenant);
    await Promise.all([now.worker.close(), other.close()]);
    expect(receivers.filter(({ got }) => got.length > 0)).toHaveLength(4);
  });

  test('wait while it is suspended, and go on afterwards', async () => {
    const receiver = await now.subscribe();
    const before: Parameters<Parameters<Delivering['setReaders']>[0]>[0][] = [];
    await now.setReaders((readers) => {
      before.push(readers);
      return null;
    });
    await now.happen('a');
    wake();
    await now.setReaders(() => [...(before[0] ?? [])]);
    await now.happen('b');
    wake();
    await now.isDone();
    expect(receiver.got.flatMap(now.resources)).toEqual(['a', 'b']);
  });

  test('a fault of the service is no failure of the receiver: the batch is repeated', async () => {
    let isBroken = true;
    const receiver = await now.subscribe();
    await now.setReaders((readers) =>
      readers.map((one) => ({
        ...one,
        send: (batch, signal) => (isBroken ? Promise.reject(new Error('the disk is full')) : one.send(batch, signal)),
      })),
    );
    await now.happen('a');
    wake();
    await until('it is logged', () => now.logged.some((line) => line.includes('the disk is full')));
    isBroken = false;
    await until(
      'it is given up',
      async () => (await outboxState(now.redis, now.tenant)).cursors.get(receiver.id)?.waitMs,
    );
    await now.rewrite(receiver.id, {});
    wake();
    await now.isDone();
    expect(now.results).toEqual(['delivered']);
  });
});
