/**
 * Deliveries to webhooks (docs/specification.md#subscriptions).
 */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { attemptsOf } from '../../src/engine/notices/attempts.ts';
import { dropCursor, startCursor } from '../../src/engine/notices/cursors.ts';
import { outboxState } from '../../src/engine/notices/outboxState.ts';
import { cursorsKey } from '../../src/redis/keys.ts';
import { type Delivering, startDelivering } from '../support/delivering.ts';
import type { Got } from '../support/receiver.ts';
import { until } from '../support/until.ts';

let now: Delivering;
beforeEach(async () => {
  now = await startDelivering();
});
afterEach(() => now.stop());

const wake = () => now.worker.wake(now.tenant);
const resources = (got: Got) => now.open(got).map(({ type, resource }) => resource ?? type);
const entries = async () => (await outboxState(now.redis, now.tenant)).entries;
const isDone = () => until('everything is delivered', async () => (await entries()) === 0);

/** Changes what a cursor says about attempts, as if time had passed. */
async function rewrite(id: string, { failedAt, nextAt = 0 }: { failedAt?: number; nextAt?: number }): Promise<void> {
  const [head = '', ...rest] = ((await now.redis.hget(cursorsKey(now.tenant), id)) ?? '').split('\n');
  const words = head.split(' ');
  words[4] = String(nextAt);
  if (failedAt !== undefined) words[3] = String(failedAt);
  await now.redis.hset(cursorsKey(now.tenant), id, [words.join(' '), ...rest].join('\n'));
}
const isWaiting = (id: string) =>
  until('it waits for its next attempt', async () => {
    const cursor = (await outboxState(now.redis, now.tenant)).cursors.get(id);
    return cursor?.isFailing && cursor.waitMs > 0 && cursor.waitMs;
  });
const retryNow = async (id: string) => {
  await isWaiting(id);
  await rewrite(id, {});
  wake();
};

describe('a delivery', () => {
  test('has the events of a subscription in order, signed, in the form of Standard Webhooks', async () => {
    const receiver = await now.subscribe();
    await now.happen('a', 'b', 'c');
    wake();
    await isDone();
    expect(receiver.got.map(resources)).toEqual([['a', 'b', 'c']]);
    const [got] = receiver.got;
    expect(got?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Holdfast' });
    expect(got?.webhookId).toMatch(/^msg_[\w-]{24}$/);
  });

  test('has only what its subscription chooses; others are not woken by the rest', async () => {
    const [lab, other] = [await now.subscribe({ prefix: 'lab/' }), await now.subscribe({ types: ['RESET'] })];
    await now.happen('lab/1', 'x', 'lab/2', 'y');
    wake();
    await isDone();
    expect(lab.got.map(resources)).toEqual([['lab/1', 'lab/2']]);
    expect(other.got).toEqual([]);
  });

  test('has up to 100 events; a subscription has one request in flight, and ten a second', async () => {
    const receiver = await now.subscribe();
    let most = 0;
    receiver.answer((response) => {
      most = Math.max(most, receiver.inFlight());
      setTimeout(() => response.writeHead(204).end(), 20);
    });
    const names = Array.from({ length: 250 }, (_, i) => `r${i}`);
    await now.happen(...names);
    wake();
    await isDone();
    expect(receiver.got.map((got) => resources(got).length)).toEqual([100, 100, 50]);
    expect(receiver.got.flatMap(resources)).toEqual(names);
    expect(most).toBe(1);
    const [first, second, third] = receiver.got.map(({ atMs }) => atMs);
    expect(Number(second) - Number(first)).toBeGreaterThan(90);
    expect(Number(third) - Number(second)).toBeGreaterThan(90);
  });

  test('is noted in the list of the last 100 attempts', async () => {
    const receiver = await now.subscribe();
    receiver.answer((response) => response.writeHead(500).end());
    await now.happen('a', 'b');
    wake();
    await isWaiting(receiver.id);
    receiver.answer((response) => response.writeHead(200).end());
    await retryNow(receiver.id);
    await isDone();
    const attempts = await until('both', async () => {
      const found = await attemptsOf(now.redis, now.tenant, receiver.id);
      return found.length === 2 && found;
    });
    const { webhookId } = receiver.got[0] ?? { webhookId: '' };
    expect(attempts).toMatchObject([
      { webhookId, attempt: 2, events: 2, status: 200, fault: null },
      { webhookId, attempt: 1, events: 2, status: 500, fault: 'The response has status 500.' },
    ]);
  });
});

describe('a failed delivery', () => {
  const failures: [string, (response: ServerResponse) => void][] = [
    ['a status', (response) => response.writeHead(503).end()],
    ['a redirect', (response) => response.writeHead(302).end()],
    ['a lost connection', (response) => response.destroy()],
  ];
  test.each(failures)(
    'is repeated with the same webhook-id and body, a new time and signature: %s',
    async (_, fail) => {
      const receiver = await now.subscribe();
      receiver.answer(fail);
      await now.happen('a', 'b');
      wake();
      await isWaiting(receiver.id);
      receiver.answer((response) => response.writeHead(204).end());
      await now.happen('c');
      await retryNow(receiver.id);
      await isDone();
      const [first, second, third] = receiver.got;
      expect(second?.webhookId).toBe(first?.webhookId);
      expect(second?.body).toBe(first?.body);
      expect(third?.webhookId).not.toBe(first?.webhookId);
      expect(receiver.got.map(resources)).toEqual([['a', 'b'], ['a', 'b'], ['c']]);
    },
  );

  test('holds up later events of its subscription, and no other subscription', async () => {
    const [bad, good] = [await now.subscribe(), await now.subscribe()];
    bad.answer((response) => response.writeHead(500).end());
    await now.happen('a');
    wake();
    await isWaiting(bad.id);
    await now.happen('b');
    wake();
    await until('the other gets both', () => good.got.flatMap(resources).length === 2);
    expect(bad.got.map(resources)).toEqual([['a']]);
  });

  test('is repeated after about 5 s, or later if Retry-After says so', async () => {
    const [plain, patient] = [await now.subscribe(), await now.subscribe()];
    plain.answer((response) => response.writeHead(500).end());
    patient.answer((response) => response.writeHead(429, { 'retry-after': '60' }).end());
    await now.happen('a');
    wake();
    const waits = [await isWaiting(plain.id), await isWaiting(patient.id)];
    expect(waits[0]).toBeGreaterThan(3000);
    expect(waits[0]).toBeLessThanOrEqual(6000);
    expect(waits[1]).toBeGreaterThan(55_000);
    expect(waits[1]).toBeLessThanOrEqual(60_000);
  });

  test('disables its subscription if the receiver answers 410', async () => {
    const receiver = await now.subscribe();
    receiver.answer((response) => response.writeHead(410).end());
    await now.happen('a');
    wake();
    await until('it is disabled', () => now.disabled.length > 0);
    expect(now.disabled).toEqual([[receiver.id, 'GONE']]);
  });

  test('disables its subscription after three days of failures, not before', async () => {
    const receiver = await now.subscribe();
    receiver.answer((response) => response.writeHead(500).end());
    await now.happen('a');
    wake();
    const day = 24 * 3_600_000;
    await isWaiting(receiver.id);
    await rewrite(receiver.id, { failedAt: Date.now() - 3 * day + 60_000 });
    wake();
    await until('another attempt', () => receiver.got.length === 2);
    await isWaiting(receiver.id);
    expect(now.disabled).toEqual([]);
    await rewrite(receiver.id, { failedAt: Date.now() - 3 * day - 60_000 });
    wake();
    await until('it is disabled', () => now.disabled.length > 0);
    expect(now.disabled).toEqual([[receiver.id, 'FAILED']]);
    expect(receiver.got).toHaveLength(3);
  });
});

describe('a batch stays the same', () => {
  test('if types and prefix change meanwhile: the next one follows the new values', async () => {
    const receiver = await now.subscribe({ prefix: 'a' });
    receiver.answer((response) => response.writeHead(500).end());
    await now.happen('a1', 'b1');
    wake();
    await isWaiting(receiver.id);
    receiver.answer((response) => response.writeHead(204).end());
    now.setReaders((readers) => readers.map((one) => ({ ...one, prefix: 'b' })));
    await now.happen('a2', 'b2');
    await retryNow(receiver.id);
    await isDone();
    expect(receiver.got.map(resources)).toEqual([['a1'], ['a1'], ['b2']]);
  });

  test('if another worker goes on where one has died: it waits until the lease of the dead one has ended', async () => {
    const receiver = await now.subscribe();
    receiver.answer(() => {});
    await now.happen('a');
    wake();
    await until('the first attempt', () => receiver.got.length === 1);
    const other = now.startWorker();
    other.wake(now.tenant);
    const [head = '', ...rest] = String(await now.redis.hget(cursorsKey(now.tenant), receiver.id)).split('\n');
    const words = head.split(' ');
    expect(Number(words[5]) - Date.now()).toBeGreaterThan(10_000);
    expect(receiver.got).toHaveLength(1);
    words[5] = '1';
    await now.redis.hset(cursorsKey(now.tenant), receiver.id, [words.join(' '), ...rest].join('\n'));
    receiver.answer((response) => response.writeHead(204).end());
    other.wake(now.tenant);
    await isDone();
    const [first, second] = receiver.got;
    expect([second?.webhookId, second?.body]).toEqual([first?.webhookId, first?.body]);
    await other.close();
  });

  test('if the worker closes: the attempt does not count, and another worker repeats it at once', async () => {
    const receiver = await now.subscribe();
    receiver.answer(() => {});
    await now.happen('a');
    wake();
    await until('the first attempt', () => receiver.got.length === 1);
    await now.worker.close();
    receiver.answer((response) => response.writeHead(204).end());
    const other = now.startWorker();
    other.wake(now.tenant);
    await isDone();
    const [first, second] = receiver.got;
    expect(second?.webhookId).toBe(first?.webhookId);
    expect(now.results).toEqual(['delivered']);
    await other.close();
  });
});

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
    await isDone();
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
    now.setReaders((readers) => {
      before.push(readers);
      return null;
    });
    await now.happen('a');
    wake();
    now.setReaders(() => [...(before[0] ?? [])]);
    await now.happen('b');
    wake();
    await isDone();
    expect(receiver.got.flatMap(resources)).toEqual(['a', 'b']);
  });

  test('a fault of the service is no failure of the receiver: the batch is repeated', async () => {
    let isBroken = true;
    const receiver = await now.subscribe();
    now.setReaders((readers) =>
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
    await rewrite(receiver.id, {});
    wake();
    await isDone();
    expect(now.results).toEqual(['delivered']);
  });
});
