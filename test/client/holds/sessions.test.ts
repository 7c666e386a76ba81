/** Sessions of the client: many reservations, one heartbeat. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Holdfast } from '../../../packages/client/src/index.ts';
import { type Pair, startPair } from '../../support/clients.ts';
import { type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts';
import { type Instance, startInstance } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
  await pair.a.register({ name: 'phone1', labels: { os: 'android' } });
});
afterAll(() => pair.stop());

describe('a session', () => {
  test('keeps its reservations, and ends them all together', async () => {
    const session = await pair.a.session();
    const holds = await Promise.all(['a', 'b', ['c', 'd']].map((target) => session.reserve(target, { note: 'why' })));
    expect(holds.map(({ requester }) => requester)).toEqual(Array(3).fill(session.requester));
    expect(holds[0]?.expiresAt).toEqual(session.expiresAt);
    expect(holds[0]?.signal).toBe(session.signal);
    expect(await pair.b.sessions()).toMatchObject([{ session: session.id, requester: session.requester, holds: 4 }]);
    expect((await pair.b.active()).map(({ session: id, note }) => [id, note])).toEqual(
      Array(4).fill([session.id, 'why']),
    );
    expect(await holds[0]?.release()).toBe(true);
    expect(await session.end()).toBe(3);
    expect(await pair.b.active()).toEqual([]);
    expect(await pair.b.sessions()).toEqual([]);
    expect(await session.end()).toBe(3);
  });

  test('renews itself, each time a third has passed', async () => {
    await using session = await pair.a.session({ ttl: '5s' });
    await using hold = await session.reserve('kept');
    const first = session.expiresAt.getTime();
    await until('a renewal', () => session.expiresAt.getTime() - first > 1500);
    expect(session.signal.aborted).toBe(false);
    expect((await pair.b.active({ resource: 'kept' }))[0]?.expiresAt).toBe(session.expiresAt.toISOString());
    await expect(hold.renew()).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('ends at the end of a block', async () => {
    {
      await using session = await pair.a.session();
      await session.reserve('in a block');
    }
    expect(await pair.b.available('in a block')).toBe(true);
  });

  test('is one requester: what it holds, it cannot have twice; two sessions exclude each other', async () => {
    await using first = await pair.a.session();
    await using second = await pair.a.session();
    const hold = await first.reserve('once');
    await expect(first.reserve('once')).rejects.toMatchObject({ code: 'ALREADY_HAD' });
    expect(await second.tryReserve('once')).toBeNull();
    await expect(pair.a.reserve('once')).rejects.toMatchObject({ heldBy: { requester: first.requester } });
    await hold.release();
    expect(await second.tryReserve('once')).toMatchObject({ requester: second.requester });
  });

  test('waits for its turn, also for a match', async () => {
    const held = await pair.b.reserve('phone1');
    await using session = await pair.a.session();
    const wait = session.reserve({ match: { os: 'android' }, wait: '20s' });
    await until('it waits', async () => (await pair.b.waiting()).length === 1);
    await held.release();
    expect((await wait).resource).toBe('phone1');
    expect((await pair.b.active({ resource: 'phone1' }))[0]?.session).toBe(session.id);
  });

  test('adopts its own reservation, and none from outside', async () => {
    const client = pair.client({ requester: 'worker' });
    await using outside = await client.reserve('outside');
    await using session = await pair.client({ requester: 'worker' }).session();
    await expect(session.reserve(['inside', 'outside'])).rejects.toMatchObject({ code: 'ALREADY_HAD' });
    expect(await pair.b.available('inside')).toBe(true);
    expect(await pair.b.available('outside')).toBe(false);
    expect(outside.signal.aborted).toBe(false);
    const item = { resource: 'lost', requester: 'worker', session: session.id };
    const [lost] = (await pair.one.reserve(item)).body;
    expect((await session.reserve('lost')).fencingToken).toBe(lost?.fencingToken);
  });

  test('that somebody ends aborts its signal, and reserves nothing any more', async () => {
    const ended = await pair.a.session({ ttl: '5s' });
    await ended.reserve('orphan');
    const { redis, tenant } = pair.one;
    await redis.del(...(await redis.keys(`{${tenant}}:sessions*`)));
    await until('the signal', () => ended.signal.aborted);
    // A renewal has told so: not the end of its lease, which comes later.
    expect(ended.signal.reason).toMatchObject({ code: 'LEASE_LOST', message: 'The session has ended' });
    await expect(ended.reserve('more')).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});

/** Calls of one client for one name arrive at the service in the order in which they were made. */
describe('the order of requests', () => {
  let service: Instance;
  let proxy: FaultyProxy;
  let client: Holdfast;
  beforeAll(async () => {
    service = await startInstance();
    await service.register({ name: 'phones', capacity: 3 });
    proxy = await startFaultyProxy(service.url);
    client = new Holdfast({ url: proxy.url, key: service.key });
  });
  beforeEach(() => void proxy.noted.splice(0));
  afterAll(() => Promise.all([service.stop(), proxy.stop()]));

  /** The first request is late: those that are sent after it would arrive before it. */
  const delay = (ms: number) => proxy.next(new Promise((resolve) => setTimeout(resolve, ms)));
  const numbers = [0, 1, 2, 3, 4, 5];

  describe('calls for one name are served in the order in which they were made', () => {
    test.each(['printer', 'phones'])('that wait: %s', async (name) => {
      const served: number[] = [];
      delay(200);
      const work = async (i: number) => {
        await new Promise((resolve) => setTimeout(resolve, i * 15));
        await client.using(name, { wait: '30s' }, () => void served.push(i));
      };
      await Promise.all(numbers.map(work));
      expect(served).toEqual(numbers);
    });

    test('that do not wait', async () => {
      delay(200);
      const first = client.tryReserve('scanner');
      await new Promise((resolve) => setTimeout(resolve, 15));
      const second = client.tryReserve('scanner');
      const other = client.tryReserve('other'); // of another name: it does not wait for them
      expect(await other).not.toBeNull();
      expect(proxy.noted).toHaveLength(2);
      expect(await second).toBeNull();
      await (await first)?.release();
    });
  });
});
