/**
 * Deliveries to webhooks (docs/specification.md#subscriptions).
 */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { attemptsOf } from '../../src/engine/notices/attempts.ts';
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
const resources = (got: Got) => now.resources(got);
const retryNow = async (id: string) => {
  await now.isWaiting(id);
  await now.rewrite(id, {});
  wake();
};

describe('a delivery', () => {
  test('has the events of a subscription in order, signed, in the form of Standard Webhooks', async () => {
    const receiver = await now.subscribe();
    await now.happen('a', 'b', 'c');
    wake();
    await now.isDone();
    expect(receiver.got.map(resources)).toEqual([['a', 'b', 'c']]);
    const [got] = receiver.got;
    expect(got?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Holdfast' });
    expect(got?.webhookId).toMatch(/^msg_[\w-]{24}$/);
  });

  test('has only what its subscription chooses; others are not woken by the rest', async () => {
    const [lab, other] = [await now.subscribe({ prefix: 'lab/' }), await now.subscribe({ types: ['RESET'] })];
    await now.happen('lab/1', 'x', 'lab/2', 'y');
    wake();
    await now.isDone();
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
    const names = Array.from({ length: 550 }, (_, i) => `r${i}`);
    await now.happen(...names);
    wake();
    await now.isDone();
    expect(receiver.got.map((got) => resources(got).length)).toEqual([100, 100, 100, 100, 100, 50]);
    expect(receiver.got.flatMap(resources)).toEqual(names);
    expect(most).toBe(1);
    const [first, last] = [receiver.got.at(0)?.atMs, receiver.got.at(-1)?.atMs];
    // One that starts late does not delay the next ones: 200 ms are made up for.
    expect(Number(last) - Number(first)).toBeGreaterThan(500 - 200 - 50);
  });

  test('is noted in the list of the last 100 attempts', async () => {
    const receiver = await now.subscribe();
    receiver.answer((response) => response.writeHead(500).end());
    await now.happen('a', 'b');
    wake();
    await now.isWaiting(receiver.id);
    receiver.answer((response) => response.writeHead(200).end());
    await retryNow(receiver.id);
    await now.isDone();
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
      await now.isWaiting(receiver.id);
      receiver.answer((response) => response.writeHead(204).end());
      await now.happen('c');
      await retryNow(receiver.id);
      await now.isDone();
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
    await now.isWaiting(bad.id);
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
    const waits = [await now.isWaiting(plain.id), await now.isWaiting(patient.id)];
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
    await now.isWaiting(receiver.id);
    await now.rewrite(receiver.id, { failedAt: Date.now() - 3 * day + 60_000 });
    wake();
    await until('another attempt', () => receiver.got.length === 2);
    await now.isWaiting(receiver.id);
    expect(now.disabled).toEqual([]);
    await now.rewrite(receiver.id, { failedAt: Date.now() - 3 * day - 60_000 });
    wake();
    await until('it is disabled', () => now.disabled.length > 0);
    expect(now.disabled).toEqual([[receiver.id, 'FAILED']]);
    expect(receiver.got).toHaveLength(3);
  });
});

test('a change of types holds for all that happens afterwards', async () => {
  const receiver = await now.subscribe({ types: ['RESET'] });
  await now.happen('a');
  wake();
  await now.isDone();
  await now.setReaders((readers) => readers.map((one) => ({ ...one, types: ['RESERVED'] })));
  await now.happen('b');
  wake();
  await now.isDone();
  expect(receiver.got.map(resources)).toEqual([['b']]);
});

describe('a batch stays the same', () => {
  test('if types and prefix change meanwhile: the next one follows the new values', async () => {
    const receiver = await now.subscribe({ prefix: 'a' });
    receiver.answer((response) => response.writeHead(500).end());
    await now.happen('a1', 'b1');
    wake();
    await now.isWaiting(receiver.id);
    receiver.answer((response) => response.writeHead(204).end());
    await now.setReaders((readers) => readers.map((one) => ({ ...one, prefix: 'b' })));
    await now.happen('a2', 'b2');
    await retryNow(receiver.id);
    await now.isDone();
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
    await now.isDone();
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
    await now.isDone();
    const [first, second] = receiver.got;
    expect(second?.webhookId).toBe(first?.webhookId);
    expect(now.results).toEqual(['delivered']);
    await other.close();
  });
});
