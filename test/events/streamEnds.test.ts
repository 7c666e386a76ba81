/**
 * When an instance ends a stream: no reader may miss an event without noticing (docs/specification.md#events).
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { startEngine } from '../support/engine.ts';
import { changeHot, hotOf } from '../support/hotRecord.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { leases, looking, reserve, startWithoutRenewals, useStreams, watch } from '../support/streams.ts';
import { until } from '../support/until.ts';

useStreams();

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

  test('when its lease had lapsed before it was renewed', async () => {
    const holdfast = await startInstance({ includes: { 'frame/now': STEERED_CLOCK } });
    const stream = await watch(holdfast);
    await setClock(looking, holdfast.tenant, Date.now() + 60_000);
    await reserve(holdfast, 'unheard');
    // Makes an instance look after its streams at once.
    await looking.call('SPUBLISH', `{${holdfast.tenant}}:events`, '');
    await until('it ends', () => stream.ended === 'in good order');
    expect(stream.events).toEqual([]);
    await holdfast.stop();
  });
});

describe('a stream ends at a break in the numbers of messages', () => {
  const forge = (tenant: string, payload: string) => looking.call('SPUBLISH', `{${tenant}}:events`, payload);
  const event = '{"type":"RESERVED"}';

  test.each([
    ['one is skipped', 2],
    ['one comes again', 0],
  ])('%s: what came before is delivered, and nothing after', async (_, step) => {
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    await reserve(holdfast, 'before');
    await stream.count(1);
    const { messages, publisher } = await hotOf(looking, holdfast.tenant);
    await forge(holdfast.tenant, `v2 ${messages + step} ${publisher} 0\n${event}`);
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
    const { publisher } = await hotOf(looking, holdfast.tenant);
    await forge(holdfast.tenant, `v2 2 ${publisher} 0\n${event}`);
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
    const { messages } = await hotOf(looking, holdfast.tenant);
    await forge(holdfast.tenant, `v2 ${messages + 1} ${'0'.repeat(40)} 0\n${event}`);
    await until('it ends', () => stream.ended === 'in good order');
    expect(stream.events.map(({ resource }) => resource)).toEqual(['before']);
    await holdfast.stop();
  });

  test('one has no number', async () => {
    const holdfast = await startInstance();
    const stream = await watch(holdfast);
    await forge(holdfast.tenant, event);
    await until('it ends', () => stream.ended === 'in good order');
    expect(stream.events).toEqual([]);
    await holdfast.stop();
  });

  test('it slept through its lease, and others listened meanwhile', async () => {
    const keys = [makeConfiguredKey(makeTenant())];
    const includes = { 'frame/now': STEERED_CLOCK };
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

  test('the clock jumped ahead and back, and a message was sent in between', async () => {
    const holdfast = await startInstance({ includes: { 'frame/now': STEERED_CLOCK } });
    const stream = await watch(holdfast);
    await reserve(holdfast, 'before');
    await stream.count(1);
    await setClock(looking, holdfast.tenant, Date.now() + 60_000);
    await reserve(holdfast, 'unheard');
    await setClock(looking, holdfast.tenant, Date.now());
    await reserve(holdfast, 'after');
    // Makes an instance renew the lease of its streams.
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

describe('a message that does not arrive within 5 s is lost', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('the streams of its tenant end, though none comes after it; those of other tenants stay', async () => {
    const keys = [makeConfiguredKey(makeTenant()), makeConfiguredKey(makeTenant())] as const;
    const [losing, other] = keys;
    const holdfast = await startInstance({ keys });
    const streams = [await watch({ ...holdfast, ...losing }), await watch({ ...holdfast, ...losing })];
    const kept = await watch({ ...holdfast, ...other });
    const { messages } = await hotOf(looking, losing.tenant);
    await changeHot(looking, losing.tenant, { messages: messages + 1 });

    const now = performance.now.bind(performance);
    const faster = 500;
    vi.spyOn(performance, 'now').mockImplementation(() => now() * faster);
    const haveEnded = async () => {
      // Makes an instance renew the leases of its streams.
      for (const { tenant } of keys) await looking.call('SPUBLISH', `{${tenant}}:events`, '');
      return streams.every(({ ended }) => ended === 'in good order');
    };
    await until('they end', haveEnded, 30_000 * faster);
    vi.restoreAllMocks();
    expect(kept.ended).toBe('no');
    await holdfast.request('POST', '/api/v1/Reservation/reset', undefined, { 'X-Api-Key': other.key });
    await kept.count(1);
    await holdfast.stop();
  });
});

describe('a stream ends at once when its key is gone', () => {
  test('and those of the tenant’s other keys stay', async () => {
    const tenant = makeTenant();
    const [gone, kept] = [makeConfiguredKey(tenant), makeConfiguredKey(tenant)];
    const holdfast = await startWithoutRenewals(() => startInstance({ keys: [gone, kept] }));
    const streams = [await watch({ ...holdfast, key: gone.key }), await watch({ ...holdfast, key: kept.key })];
    const { engine, stop } = await startEngine(tenant);
    const record = configuredTenants([kept]).get(tenant);
    if (record) await loadTenant(engine.redis, record);
    await until('it ends', () => streams[0]?.ended === 'in good order');
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
