/** The rules of the service that its fake keeps, too: each test runs against both. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HoldfastClient } from '../../../packages/client/src/index.ts';
import { KINDS, type Side } from './contract.ts';

describe.each(KINDS)('$kind', ({ start }) => {
  let running: Awaited<ReturnType<typeof start>>;
  let side: Side;
  let client: HoldfastClient;
  beforeAll(async () => {
    running = await start();
  });
  beforeEach(async () => {
    side = await running.make();
    ({ client } = side);
  });
  afterAll(() => running.stop());

  const waiting = (count: number) => side.until(async () => (await client.waiting()).length === count);

  describe('a lock', () => {
    test('is held by one, and free after its release', async () => {
      const hold = await client.reserve('printer', { note: 'report' });
      expect(hold).toMatchObject({ resource: 'printer', resources: ['printer'], slots: ['printer'], waitedMs: 0 });
      expect(await client.tryReserve('printer')).toBeNull();
      await expect(client.reserve('printer')).rejects.toMatchObject({
        name: 'HoldfastError',
        code: 'ALREADY_HELD',
        heldBy: { resource: 'printer', requester: client.requester, note: 'report' },
      });
      expect(await client.available('printer')).toBe(false);
      expect(await hold.release()).toBe(true);
      const next = await client.reserve('printer');
      expect(next.fencingToken).toBeGreaterThan(hold.fencingToken);
      expect(next.requester).toBe(client.requester);
    });

    test('that somebody else holds is not available until they release it', async () => {
      const release = await side.heldBy('printer', 'bob', 'by hand');
      expect(await client.check('printer', { requester: 'ann' })).toMatchObject({
        reserved: true,
        requester: 'bob',
        heldByRequester: false,
        note: 'by hand',
        expiresAt: null,
        waiting: 0,
        reservable: false,
      });
      await release();
      expect(await client.check('printer')).toMatchObject({ reserved: false, requester: null, reservable: true });
    });

    test('is released and renewed by its token, and by no other', async () => {
      const hold = await client.reserve('printer');
      const { resource, requester, releaseToken } = hold.reservations[0] ?? expect.fail();
      const wrong = { resource, requester, releaseToken: crypto.randomUUID() };
      await expect(client.release(wrong)).rejects.toMatchObject({ code: 'DOESNT_OWN_RESERVATION' });
      expect(await client.renew({ resource, requester, releaseToken }, '1m')).toBeInstanceOf(Date);
      expect(await client.release({ resource, requester, releaseToken })).toBe(true);
      expect(await client.release({ resource, requester, releaseToken })).toBe(false);
      await expect(client.renew({ resource, requester, releaseToken })).rejects.toMatchObject({ code: 'NOT_RESERVED' });
    });

    test('may be shared by readers, and by nobody else', async () => {
      const reader = await client.reserve('data', { mode: 'SHARED' });
      const other = await client.reserve('data', { mode: 'SHARED' });
      expect(other.requester).toBe(`${client.requester}#2`);
      expect(await client.tryReserve('data')).toBeNull();
      await Promise.all([reader.release(), other.release()]);
      expect(await client.available('data')).toBe(true);
    });

    test('that the requester has, whom the caller chose, is refused', async () => {
      await using _ = await client.reserve('printer', { requester: 'ann' });
      await expect(client.reserve('printer', { requester: 'ann' })).rejects.toMatchObject({ code: 'ALREADY_HAD' });
    });
  });

  describe('a pool', () => {
    beforeEach(() => client.register([{ name: 'phones', capacity: 3 }]));

    test('has as many holds as slots', async () => {
      const two = await client.reserve('phones', { count: 2 });
      expect(two.slots).toEqual(['phones_0', 'phones_1']);
      const third = await client.reserve('phones');
      expect(third.slots).toEqual(['phones_2']);
      await expect(client.reserve('phones')).rejects.toMatchObject({ code: 'NOT_AVAILABLE', heldBy: undefined });
      await two.release();
      await using one = await client.reserve('phones_1');
      expect(one.slots).toEqual(['phones_1']);
      expect(await client.tryReserve('phones', { count: 2 })).toBeNull();
      expect((await client.reserve('phones')).slots).toEqual(['phones_0']);
    });

    test('has no more slots than these', async () => {
      await expect(client.reserve('phones_3')).rejects.toMatchObject({ code: 'NOT_VALID' });
      await expect(client.reserve('phones', { count: 4 })).rejects.toMatchObject({ code: 'NOT_VALID' });
    });

    test('is listed, and deleted while nobody holds it', async () => {
      const [phones] = await client.definitions();
      expect(phones).toEqual({ name: 'phones', capacity: 3, blocks: [], treePath: null });
      const hold = await client.reserve('phones');
      await expect(client.unregister('phones')).rejects.toMatchObject({ code: 'REFUSED' });
      await hold.release();
      expect(await client.unregister('phones')).toEqual(['phones']);
      await expect(client.unregister('phones')).rejects.toMatchObject({ code: 'NOT_REGISTERED', status: 404 });
    });
  });

  describe('several names, and a match', () => {
    test('are taken together or not at all', async () => {
      const release = await side.heldBy('b', 'bob');
      await expect(client.reserve(['a', 'b'])).rejects.toMatchObject({ code: 'ALREADY_HELD' });
      expect(await client.available('a')).toBe(true);
      await release();
      await using hold = await client.reserve(['a', 'b']);
      expect(hold.resources).toEqual(['a', 'b']);
    });

    test('pick a resource with these labels that is free', async () => {
      const labels = { os: 'android' };
      await client.register([
        { name: 'pixel-8', labels },
        { name: 'pixel-9', labels },
      ]);
      await using first = await client.reserve({ match: { os: ['android', 'ios'] } });
      await using second = await client.reserve({ match: labels });
      expect([first.resource, second.resource]).toEqual(['pixel-8', 'pixel-9']);
      await expect(client.reserve({ match: labels })).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
      await expect(client.reserve({ match: { os: 'ios' } })).rejects.toMatchObject({ code: 'NOT_VALID' });
    });

    test('take several with a match, beside names, or none; and wait for all', async () => {
      await client.register(['pixel-8', 'pixel-9'].map((name) => ({ name, labels: { os: 'android' } })));
      await client.register([{ name: 'pixel-7', labels: { os: 'android', site: 'berlin' } }]);
      const match = { os: 'android', site: { not: ['berlin', 'rome'] } };
      const release = await side.heldBy('pixel-8', 'bob');
      await expect(client.reserve({ match, quantity: 2 })).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
      const waits = client.reserve('licence', { match, quantity: 2, wait: '1m' });
      await release();
      await using hold = await waits;
      expect(hold.resources).toEqual(['licence', 'pixel-8', 'pixel-9']);
    });
  });

  describe('a wait', () => {
    test('is served in the order of the queue: by priority, then by age', async () => {
      const release = await side.heldBy('printer', 'bob');
      const served: string[] = [];
      const use = (name: string, priority: number) =>
        client.using('printer', { wait: '10m', priority, note: name }, () => void served.push(name));
      const all = [use('first', 0), use('second', 0), use('urgent', 5)];
      await waiting(3);
      const queue = await client.waiting();
      expect(queue.map(({ note, waitsFor }) => `${note} ${waitsFor}`)).toEqual([
        'urgent printer',
        'first printer',
        'second printer',
      ]);
      await release();
      await Promise.all(all);
      expect(served).toEqual(['urgent', 'first', 'second']);
    });

    test('says its place, and how long it was', async () => {
      const release = await side.heldBy('printer', 'bob');
      const seen: object[] = [];
      const wait = client.reserve('printer', { wait: '10m', onWaiting: (place) => seen.push(place) });
      await side.until(() => seen.length > 0);
      expect(seen[0]).toMatchObject({ ahead: 0, waitsFor: 'printer', since: expect.any(String) });
      await release();
      await using hold = await wait;
      expect(hold.waitedMs).toBeGreaterThanOrEqual(0);
    });

    test('ends when its time is over', async () => {
      await side.heldBy('printer', 'bob', 'by hand');
      const wait = client.reserve('printer', { wait: '2s' });
      let isOver = false;
      const ended = expect(wait).rejects.toMatchObject({ code: 'ALREADY_HELD', heldBy: { requester: 'bob' } });
      void ended.then(() => {
        isOver = true;
      });
      await side.until(() => isOver);
      await ended;
      expect(await client.waiting()).toEqual([]);
    });

    test('ends when it is cancelled, or its signal aborts', async () => {
      await side.heldBy('printer', 'bob');
      const wait = expect(client.reserve('printer', { wait: '10m' })).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
      await waiting(1);
      expect(await client.cancel('printer')).toBe(true);
      await wait;
      const stop = new AbortController();
      const given = client.using('printer', { wait: '10m', signal: stop.signal }, () => {});
      await waiting(1);
      stop.abort(new Error('enough'));
      await expect(given).rejects.toThrow('enough');
      await waiting(0);
    });

    test('for several names keeps what is free for its turn', async () => {
      const release = await side.heldBy('b', 'bob');
      const wait = client.reserve(['a', 'b'], { wait: '10m' });
      await waiting(1);
      expect(await client.tryReserve('a', { requester: 'eve' })).toBeNull();
      await release();
      expect((await wait).resources).toEqual(['a', 'b']);
    });
  });

  describe('changes', () => {
    test('are events, and in a mirror', async () => {
      const stop = new AbortController();
      const { signal } = stop;
      const events = client.events({ types: ['RESERVED', 'UNRESERVED', 'WAITING', 'WAIT_ENDED'], signal });
      const mirror = await client.mirror({ waiting: true, signal });
      expect((await events.next()).value).toEqual({ type: 'CONNECTED' });
      const hold = await client.reserve('printer', { note: 'report' });
      const wait = client.reserve('printer', { wait: '10m' });
      const { value } = await events.next();
      expect(value).toMatchObject({ type: 'RESERVED', resource: 'printer', note: 'report' });
      expect((await events.next()).value).toMatchObject({ type: 'WAITING', resource: 'printer' });
      await expect.poll(() => mirror.get('printer')).toMatchObject([{ requester: hold.requester, note: 'report' }]);
      await expect.poll(() => mirror.waiting).toMatchObject([{ requester: `${client.requester}#2` }]);
      await hold.release();
      await (await wait).release();
      await expect.poll(() => mirror.size).toBe(0);
      stop.abort();
      await mirror.closed;
    });

    test('end with a reset', async () => {
      await client.reserve('a');
      await client.reserve('b');
      expect(await client.active()).toMatchObject([{ resource: 'a' }, { resource: 'b' }]);
      expect(await client.active({ resource: 'b' })).toHaveLength(1);
      expect(await client.reset()).toBe(2);
      expect(await client.active()).toEqual([]);
    });
  });
});
