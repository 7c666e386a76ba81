/**
 * Streams of events across real instances on one Redis (docs/specification.md#events).
 */
import { EventSource } from 'eventsource';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { sweep } from '../../src/engine/expiry/sweep.ts';
import { inPieces } from '../support/client.ts';
import { startEngine } from '../support/engine.ts';
import { redisAddress } from '../support/redisAddress.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { leases, looking, reserve, useStreams, watch } from '../support/streams.ts';
import { until } from '../support/until.ts';

useStreams();

describe('a stream', () => {
  let holdfast: Instance;
  beforeAll(async () => {
    holdfast = await startInstance();
  });
  afterAll(() => holdfast.stop());

  test('has headers that keep proxies from holding it back, and a comment at once', async () => {
    const { head, comments } = await watch(holdfast);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    const headers = head.toLowerCase().split('\r\n');
    expect(headers).toContain('content-type: text/event-stream');
    expect(headers).toContain('cache-control: no-store, no-transform');
    expect(headers).toContain('x-accel-buffering: no');
    expect(headers.some((header) => header.startsWith('content-encoding'))).toBe(false);
    expect(headers.some((header) => header.startsWith('x-request-id: '))).toBe(true);
    expect(comments).toEqual([': open']);
  });

  test('is not opened by a HEAD', async () => {
    await until('the leases are given back', async () => (await leases(holdfast.tenant)) === 0);
    const { status, headers } = await holdfast.request('HEAD', '/api/v1/events');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await leases(holdfast.tenant)).toBe(0);
  });

  test('gets what concerns its own tenant only', async () => {
    const other = await startInstance();
    const [mine, theirs] = [await watch(holdfast), await watch(other)];
    await reserve(other, 'theirs');
    await reserve(holdfast, 'mine');
    expect((await mine.count(1)).map(({ resource }) => resource)).toEqual(['mine']);
    expect((await theirs.count(1)).map(({ resource }) => resource)).toEqual(['theirs']);
    await other.stop();
  });

  test('serves the EventSource of a browser: events by their names', async () => {
    const { url, key } = holdfast;
    const source = new EventSource(`${url}/api/v1/events`, {
      fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, 'X-Api-Key': key } }),
    });
    const seen: string[] = [];
    source.addEventListener('RESERVED', ({ data }) => seen.push(JSON.parse(data).resource));
    source.addEventListener('message', () => seen.push('an event without a name'));
    await new Promise((resolve) => source.addEventListener('open', resolve));
    await reserve(holdfast, 'by name');
    await until('the event', () => seen.length > 0);
    expect(seen).toEqual(['by name']);
    source.close();
  });
});

describe('an event', () => {
  let instances: Instance[];
  beforeAll(async () => {
    const keys = [makeConfiguredKey(makeTenant())];
    instances = await Promise.all([startInstance({ keys }), startInstance({ keys }), startInstance({ keys })]);
  });
  afterAll(() => Promise.all(instances.map((instance) => instance.stop())));

  test('caused on one instance arrives on all, in the order in which the state changed', async () => {
    const [one, two] = instances as [Instance, Instance];
    const subscribers = await Promise.all(instances.map(watch));
    // Each waits for the one before, so their order is known; beside them others, in an order that only Redis knows.
    const noise = Promise.all(Array.from({ length: 200 }, (_, i) => reserve(two, `noise ${i}`)));
    for (let i = 0; i < 50; i++) await reserve(i % 2 ? one : two, `step ${i}`);
    await noise;
    const seen = await Promise.all(subscribers.map((subscriber) => subscriber.count(250)));
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    const steps = seen[0]?.map(({ resource }) => resource ?? '').filter((name) => name.startsWith('step'));
    expect(steps).toEqual(Array.from({ length: 50 }, (_, i) => `step ${i}`));
  });

  test('that nobody listens to is not published', async () => {
    const [one] = instances as [Instance];
    await until('the leases are given back', async () => (await leases(one.tenant)) === 0);
    const subscriber = new Redis(redisAddress(inject('redisUrl')));
    const messages: string[] = [];
    subscriber.on('smessage', (_, message) => messages.push(message));
    await subscriber.ssubscribe(`{${one.tenant}}:events`);
    await reserve(one, 'unheard');
    await looking.call('SPUBLISH', `{${one.tenant}}:events`, 'mark');
    await until('the mark', () => messages.length > 0);
    expect(messages).toEqual(['mark']);
    subscriber.disconnect();
  });

  test('of an expiry is sent exactly once, whichever worker sweeps', async () => {
    const [one] = instances as [Instance];
    const subscriber = await watch(one);
    const workers = await Promise.all(['', '', ''].map(() => startEngine(one.tenant)));
    await one.reserve(...Array.from({ length: 400 }, (_, i) => ({ resource: `e${i}`, requester: 'r', ttlSeconds: 1 })));
    await until('all are swept', async () => {
      await Promise.all(workers.map(({ engine }) => sweep(engine.redis)));
      return subscriber.events.length >= 1200;
    });
    await reserve(one, 'end');
    const events = await subscriber.count(1201);
    const of = (type: string) => events.filter((event) => event.type === type).map(({ resource }) => resource);
    expect(new Set(of('RESERVATION_EXPIRED')).size).toBe(400);
    expect(of('RESERVATION_EXPIRED')).toHaveLength(400);
    expect(of('UNRESERVED')).toEqual(of('RESERVATION_EXPIRED'));
    for (const worker of workers) worker.stop();
  });
});

describe('a reader that does not read', () => {
  test('is cut off when more than 1 MiB waits for it, and the others are not kept waiting', async () => {
    const holdfast = await startInstance();
    const [slow, quick] = [await watch(holdfast), await watch(holdfast)];
    slow.socket.pause();
    const items = Array.from({ length: 250 }, (_, i) => ({
      resource: `${i} ${'x'.repeat(240)}`,
      requester: 'r'.repeat(256),
    }));
    let batches = 0;
    await until('the slow reader’s lease is given back', async () => {
      await holdfast.reserve(...items);
      await holdfast.reset();
      batches++;
      return (await leases(holdfast.tenant)) === 1;
    });
    expect(batches).toBeGreaterThan(1);
    expect(await quick.count(batches * 251)).toHaveLength(batches * 251);
    slow.socket.resume();
    await until('the slow reader sees its end', () => slow.ended === 'cut off');
    expect(quick.ended).toBe('no');
    await holdfast.stop();
  });
});

describe('a reader that reads', () => {
  test('gets a burst larger than what may wait for it', async () => {
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    const long = '🎉'.repeat(125);
    const batches = [0, 1, 2, 3, 4, 5, 6, 7].map((batch) =>
      Array.from({ length: 120 }, (_, i) => ({ resource: `${120 * batch + i} ${long}`, requester: long })),
    );
    const answers = await Promise.all(batches.map((items) => holdfast.reserve(...items)));
    expect(answers.map(({ status }) => status)).toEqual(batches.map(() => 200));
    const events = await stream.count(960);
    expect(Buffer.byteLength(JSON.stringify(events))).toBeGreaterThan(1_048_576);
    expect(new Set(events.map(({ resource }) => resource)).size).toBe(960);
    await holdfast.stop();
  });
});

describe('many streams', () => {
  test('1,000 of one tenant all get every event', async () => {
    const holdfast = await startInstance();
    const streams = await inPieces(
      Array.from({ length: 1000 }, () => holdfast),
      watch,
    );
    expect(await leases(holdfast.tenant)).toBe(1000);
    for (let i = 0; i < 10; i++) await reserve(holdfast, `to all ${i}`);
    const seen = await Promise.all(streams.map((stream) => stream.count(10)));
    const expected = Array.from({ length: 10 }, (_, i) => `to all ${i}`);
    for (const events of seen) expect(events.map(({ resource }) => resource)).toEqual(expected);
    await holdfast.stop();
  });

  test('1,000 tenants with one each all get their own', async () => {
    const keys = Array.from({ length: 1000 }, () => makeConfiguredKey(makeTenant()));
    const holdfast = await startInstance({ keys });
    const streams = await inPieces(keys, ({ key }) => watch({ ...holdfast, key }));
    const item = [{ resource: 'mine', requester: 'r' }];
    const path = '/api/v1/Reservation/reserve';
    await inPieces(keys, ({ key }) => holdfast.request('POST', path, item, { 'X-Api-Key': key }));
    const seen = await Promise.all(streams.map((stream) => stream.count(1)));
    expect(seen.map((events) => events.map(({ tenantId }) => tenantId))).toEqual(keys.map(({ tenant }) => [tenant]));
    await holdfast.stop();
  });
});
