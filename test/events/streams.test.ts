/**
 * Streams of events across real instances on one Redis (docs/specification.md#events).
 */
import { spawn } from 'node:child_process';
import { EventSource } from 'eventsource';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import { sweep } from '../../src/engine/expiry/sweep.ts';
import { loadTenant } from '../../src/engine/tenant/load.ts';
import { openStream } from '../../src/engine/tenant/streamLeases.ts';
import { configuredTenants } from '../../src/identity/configuredTenants.ts';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { startEngine } from '../support/engine.ts';
import { redisAddress } from '../support/redisAddress.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';
import { watch as open, type Subscriber } from '../support/watch.ts';

let looking: Redis;
const opened: Subscriber[] = [];
const watch = async (at: { url: string; key: string }) => {
  const subscriber = await open(at);
  opened.push(subscriber);
  return subscriber;
};
beforeAll(() => {
  looking = new Redis(redisAddress(inject('redisUrl')));
});
afterEach(() => {
  for (const subscriber of opened.splice(0)) subscriber.close();
});
afterAll(() => looking.disconnect());

const leases = (tenant: string) => looking.zcard(`{${tenant}}:streams`);
const reserve = (instance: Instance, resource: string) => instance.reserve({ resource, requester: 'r' });

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

  test('of an expiry is sent exactly once, whoever sweeps', async () => {
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

describe('the number of streams', () => {
  test('is limited by the tier, across instances: 429 with upgradeRequired, and no stream', async () => {
    const keys = [{ ...makeConfiguredKey(makeTenant()), tier: 'Starter' as const }];
    const [one, two] = await Promise.all([startInstance({ keys }), startInstance({ keys })]);
    const attempts = await Promise.all(Array.from({ length: 12 }, (_, i) => watch(i % 2 ? one : two)));
    const open = attempts.filter(({ head }) => head.startsWith('HTTP/1.1 200'));
    expect(open).toHaveLength(5);
    expect(await one.request('GET', '/api/v1/events')).toMatchObject({
      status: 429,
      body: {
        error: 'The limit of tier Starter is reached: 5 EventConnections.',
        tier: 'Starter',
        limit: 5,
        retryAfter: 5,
        upgradeRequired: true,
        limitType: 'EventConnections',
      },
    });
    const { headers } = await two.request('GET', '/api/v1/events');
    expect(headers.get('retry-after')).toBe('5');
    open[0]?.close();
    await until('the place is given back', async () => (await leases(one.tenant)) === 4);
    expect((await watch(two)).head).toMatch(/200/);
    await Promise.all([one.stop(), two.stop()]);
  });

  test('an instance that dies gives its own back within 45 s', async () => {
    const { engine, credential, stop } = await startEngine();
    const { tenant } = credential;
    const start = Date.now();
    await setClock(looking, tenant, start);
    const key = { ...makeConfiguredKey(tenant), tier: 'Free' as const };
    const one = await startInstance({ keys: [key], includes: { clock: STEERED_CLOCK } });
    // What a dead instance left: a lease that nobody renews.
    const dead = {
      ...credential,
      credentialKey: [...(configuredTenants([key]).get(tenant)?.keys ?? [])][0]?.digest ?? '',
    };
    await openStream(engine, dead, 'dead');
    expect((await watch(one)).head).toMatch(/429/);
    await setClock(looking, tenant, start + 45_000);
    expect((await watch(one)).head).toMatch(/200/);
    await one.stop();
    stop();
  });
});

describe('an instance that is killed', () => {
  test('leaves streams that are cut off, and leases that lapse within 45 s', async () => {
    const key = makeConfiguredKey(makeTenant());
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
      env: { ...process.env, REDIS_URL: inject('redisUrl'), PORT: '0', ROLE: 'api', API_KEYS: JSON.stringify([key]) },
    });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    const [, url = ''] = await until('the instance', () => /"url":"([^"]+)"/.exec(output));
    const stream = await watch({ url, key: key.key });
    child.kill('SIGKILL');
    await until('the stream is cut off', () => stream.ended === 'cut off');
    const left = await looking.zrange(`{${key.tenant}}:streams`, '0', '-1', 'WITHSCORES');
    expect(left).toHaveLength(2);
    expect(Number(left[1])).toBeLessThanOrEqual(Date.now() + 45_000);
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
    await until(
      'the slow reader’s lease is given back',
      async () => {
        await holdfast.reserve(...items);
        await holdfast.reset();
        batches++;
        return (await leases(holdfast.tenant)) === 1;
      },
      15_000,
    );
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

describe('a stream that may have missed something ends', () => {
  test('when the instance loses the connection of its subscriptions; then others can be opened', async () => {
    const server = await startRedis(() => {});
    const holdfast = await startInstance({ redisUrl: server.url });
    const streams = [await watch(holdfast), await watch(holdfast)];
    await holdfast.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await until('they end', () => streams.every(({ ended }) => ended === 'in good order'));
    const next = await until('another can be opened', async () => {
      const subscriber = await watch(holdfast);
      return subscriber.head.startsWith('HTTP/1.1 200') ? subscriber : null;
    });
    await reserve(holdfast, 'again');
    expect((await next.count(1))[0]?.resource).toBe('again');
    await holdfast.stop();
    await server.stop();
  });

  test('when Redis stops answering, within seconds', async () => {
    const server = await startRedis(() => {});
    const holdfast = await startInstance({ redisUrl: server.url });
    const stream = await watch(holdfast);
    process.kill(server.pid, 'SIGSTOP');
    await until('it ends', () => stream.ended === 'in good order', 5000);
    expect((await holdfast.request('GET', '/api/v1/events')).status).toBe(503);
    process.kill(server.pid, 'SIGCONT');
    await holdfast.stop();
    await server.stop();
  });

  test('when its lease had lapsed before it was renewed', async () => {
    const holdfast = await startInstance({ includes: { clock: STEERED_CLOCK } });
    const stream = await watch(holdfast);
    await setClock(looking, holdfast.tenant, Date.now() + 60_000);
    await reserve(holdfast, 'unheard');
    // What makes an instance look after its streams at once.
    await looking.call('SPUBLISH', `{${holdfast.tenant}}:events`, '');
    await until('it ends', () => stream.ended === 'in good order');
    expect(stream.events).toEqual([]);
    await holdfast.stop();
  });
});

describe('a stream ends at a break in the numbers of messages', () => {
  const forge = (tenant: string, payload: string) => looking.call('SPUBLISH', `{${tenant}}:events`, payload);
  const frame = 'event: RESERVED\ndata: {"type":"RESERVED"}\n\n';

  test.each([
    ['one is skipped', 2],
    ['one comes again', 0],
  ])('%s: what came before is delivered, and nothing after', async (_, step) => {
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    await reserve(holdfast, 'before');
    await stream.count(1);
    const [number, publisher] = await looking.hmget(`{${holdfast.tenant}}:tenant`, 'messages', 'publisher');
    await forge(holdfast.tenant, `${Number(number) + step} ${publisher}\n${frame}`);
    await until('it ends', () => stream.ended === 'in good order');
    expect(stream.events.map(({ resource }) => resource)).toEqual(['before']);
    const again = await watch(holdfast);
    await reserve(holdfast, 'after');
    expect((await again.count(1)).map(({ resource }) => resource)).toEqual(['after']);
    await holdfast.stop();
  });

  test('messages of before it opened do not count', async () => {
    const holdfast = await startInstance();
    const first = await watch(holdfast);
    for (let i = 0; i < 3; i++) await reserve(holdfast, `before ${i}`);
    await first.count(3);
    const second = await watch(holdfast);
    const publisher = await looking.hget(`{${holdfast.tenant}}:tenant`, 'publisher');
    await forge(holdfast.tenant, `2 ${publisher}\n${frame}`);
    await reserve(holdfast, 'after');
    expect((await second.count(1)).map(({ resource }) => resource)).toEqual(['after']);
    expect(second.ended).toBe('no');
    await holdfast.stop();
  });

  test('one with the next number is of a primary that was replaced, and goes on with the numbers that it knows', async () => {
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    await reserve(holdfast, 'before');
    await stream.count(1);
    const number = Number(await looking.hget(`{${holdfast.tenant}}:tenant`, 'messages'));
    await forge(holdfast.tenant, `${number + 1} ${'0'.repeat(40)}\n${frame}`);
    await until('it ends', () => stream.ended === 'in good order');
    expect(stream.events.map(({ resource }) => resource)).toEqual(['before']);
    await holdfast.stop();
  });

  test('one has no number', async () => {
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    await forge(holdfast.tenant, frame);
    await until('it ends', () => stream.ended === 'in good order');
    expect(stream.events).toEqual([]);
    await holdfast.stop();
  });

  test('it slept through its lease, and others listened meanwhile', async () => {
    const keys = [makeConfiguredKey(makeTenant())];
    const includes = { clock: STEERED_CLOCK };
    const [sleeping, other] = await Promise.all([startInstance({ keys, includes }), startInstance({ keys, includes })]);
    const stream = await watch(sleeping);
    await reserve(other, 'heard');
    await stream.count(1);
    await setClock(looking, other.tenant, Date.now() + 60_000);
    const next = await watch(other);
    await reserve(other, 'unheard');
    expect((await next.count(1))[0]?.resource).toBe('unheard');
    await until('it ends', () => stream.ended === 'in good order');
    expect(stream.events.map(({ resource }) => resource)).toEqual(['heard']);
    expect(next.ended).toBe('no');
    await Promise.all([sleeping.stop(), other.stop()]);
  });

  test('the clock jumped ahead and back, and something was told in between', async () => {
    const holdfast = await startInstance({ includes: { clock: STEERED_CLOCK } });
    const stream = await watch(holdfast);
    await reserve(holdfast, 'before');
    await stream.count(1);
    await setClock(looking, holdfast.tenant, Date.now() + 60_000);
    await reserve(holdfast, 'unheard');
    await setClock(looking, holdfast.tenant, Date.now());
    await reserve(holdfast, 'after');
    // What has an instance renew the lease of its streams.
    await forge(holdfast.tenant, '');
    await until('it ends', async () => {
      await reserve(holdfast, 'later');
      await holdfast.reset();
      return stream.ended === 'in good order';
    });
    expect(stream.events.map(({ resource }) => resource)).toEqual(['before']);
    await holdfast.stop();
  });
});

describe('a stream ends at once when its key is gone', () => {
  test('and those of the tenant’s other keys stay', async () => {
    const tenant = makeTenant();
    const [gone, kept] = [makeConfiguredKey(tenant), makeConfiguredKey(tenant)];
    const holdfast = await startInstance({ keys: [gone, kept] });
    const streams = [await watch({ ...holdfast, key: gone.key }), await watch({ ...holdfast, key: kept.key })];
    const { engine, stop } = await startEngine(tenant);
    const record = configuredTenants([kept]).get(tenant);
    if (record) await loadTenant(engine.redis, record);
    await until('it ends', () => streams[0]?.ended === 'in good order', 2000);
    await holdfast.request('POST', '/api/v1/Reservation/reset', undefined, { 'X-Api-Key': kept.key });
    await streams[1]?.count(1);
    expect(streams[1]?.ended).toBe('no');
    stop();
    await holdfast.stop();
  });
});

describe('an instance that leaves', () => {
  test('ends its streams in good order, gives their leases back, and opens no more', async () => {
    const keys = [makeConfiguredKey(makeTenant())];
    const [leaving, staying] = await Promise.all([startInstance({ keys }), startInstance({ keys })]);
    const stream = await watch(leaving);
    await reserve(staying, 'before');
    await stream.count(1);
    leaving.leave();
    await until('it ends', () => stream.ended === 'in good order');
    await until('the lease is given back', async () => (await leases(leaving.tenant)) === 0);
    expect((await leaving.request('GET', '/api/v1/events')).status).toBe(503);
    expect((await watch(staying)).head).toMatch(/200/);
    await Promise.all([leaving.stop(), staying.stop()]);
  });
});

describe('many streams', () => {
  test('1,000 of one tenant all get every event', { timeout: 60_000 }, async () => {
    const holdfast = await startInstance();
    const streams = await Promise.all(Array.from({ length: 1000 }, () => watch(holdfast)));
    expect(await leases(holdfast.tenant)).toBe(1000);
    for (let i = 0; i < 10; i++) await reserve(holdfast, `to all ${i}`);
    const seen = await Promise.all(streams.map((stream) => stream.count(10)));
    const expected = Array.from({ length: 10 }, (_, i) => `to all ${i}`);
    for (const events of seen) expect(events.map(({ resource }) => resource)).toEqual(expected);
    await holdfast.stop();
  });

  test('1,000 tenants with one each all get their own', { timeout: 60_000 }, async () => {
    const keys = Array.from({ length: 1000 }, () => makeConfiguredKey(makeTenant()));
    const holdfast = await startInstance({ keys });
    const streams = await Promise.all(keys.map(({ key }) => watch({ ...holdfast, key })));
    const item = [{ resource: 'mine', requester: 'r' }];
    const path = '/api/v1/Reservation/reserve';
    await Promise.all(keys.map(({ key }) => holdfast.request('POST', path, item, { 'X-Api-Key': key })));
    const seen = await Promise.all(streams.map((stream) => stream.count(1)));
    expect(seen.map((events) => events.map(({ tenantId }) => tenantId))).toEqual(keys.map(({ tenant }) => [tenant]));
    await holdfast.stop();
  });
});
