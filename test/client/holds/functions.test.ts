/**
 * Every function of the client, against two instances.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Holdfast } from '../../../packages/client/src/index.ts';
import { type Pair, startPair } from '../../support/clients.ts';
import { until } from '../../support/until.ts';

let pair: Pair;
let a: Holdfast;
let b: Holdfast;
beforeAll(async () => {
  pair = await startPair();
  ({ a, b } = pair);
  await a.register([
    { name: 'pool', capacity: 3 },
    { name: 'Room', capacity: 2, treePath: 'House', blocks: ['Projector'] },
    { name: 'phone1', labels: { os: 'android' } },
    { name: 'phone2', labels: { os: 'ios' } },
  ]);
});
afterAll(() => pair.stop());

describe('reserve', () => {
  test('gives a hold with all that the service says', async () => {
    const hold = await a.reserve('Room', { ttl: '20s', note: 'why' });
    expect(hold).toMatchObject({ resource: 'Room', resources: ['Room'], requester: a.requester, slots: ['Room_0'] });
    expect(hold.waitedMs).toBe(0);
    expect(hold.signal.aborted).toBe(false);
    expect(hold.reservations).toMatchObject([
      {
        acquiredBlockers: ['Projector'],
        reservedAtPath: 'House>Room',
        mode: 'EXCLUSIVE',
        acquiredSlots: { Room: 'Room_0' },
      },
    ]);
    const [active] = await b.active({ resource: 'Room' });
    expect(active).toMatchObject({
      fencingToken: hold.fencingToken,
      expiresAt: hold.expiresAt?.toISOString(),
      requester: a.requester,
      note: 'why',
    });
    expect(await hold.release()).toBe(true);
    expect(await hold.release()).toBe(true);
    expect(await b.active({ resource: 'Room' })).toEqual([]);
  });

  test('leaves what is booked if its caller gives up', async () => {
    await a.register([{ name: 'booked', bookable: true }]);
    const startMs = Math.ceil(Date.now() / 1000) * 1000;
    const at = (seconds: number) => new Date(startMs + seconds * 1000);
    await a.book('booked', { start: at(0), end: at(60), requester: 'bo' });
    await a.book('booked', { start: at(60), end: at(120), requester: 'al' });
    await sleep(startMs - Date.now());
    const closing = new AbortController();
    const options = { requester: 'bo', ttl: '10m', signal: closing.signal, onEndFixed: () => closing.abort() } as const;
    await expect(a.reserve('booked', options)).rejects.toMatchObject({ name: 'AbortError' });
    expect(await a.active({ resource: 'booked' })).toMatchObject([{ requester: 'bo' }]);
  });

  test('releases what it got if onEndFixed throws', async () => {
    await a.register([{ name: 'thrown', bookable: true }]);
    const start = new Date(Math.ceil(Date.now() / 1000) * 1000 + 60_000);
    await a.book('thrown', { start, end: new Date(start.getTime() + 60_000), requester: 'al' });
    const onEndFixed = () => {
      throw new Error('of the user');
    };
    await expect(a.reserve('thrown', { ttl: '10m', minTtl: '5s', onEndFixed })).rejects.toThrow('of the user');
    expect(await a.active({ resource: 'thrown' })).toEqual([]);
  });

  test('makes a lease of 30 s, and an endless one only if asked', async () => {
    const started = Date.now();
    await using hold = await a.reserve('lease');
    expect((hold.expiresAt?.getTime() ?? 0) - started).toBeGreaterThan(29_000);
    expect((hold.expiresAt?.getTime() ?? 0) - Date.now()).toBeLessThan(31_000);
    await using endless = await a.reserve('endless', { ttl: Number.POSITIVE_INFINITY });
    expect(endless.expiresAt).toBeNull();
    expect((await a.active({ resource: 'endless' }))[0]?.expiresAt).toBeNull();
  });

  test('takes several names together, by the slots and the highest fencing token', async () => {
    await using hold = await a.reserve(['x', 'pool']);
    expect(hold.resources).toEqual(['x', 'pool']);
    expect(hold.slots).toEqual(['x', 'pool_0']);
    expect(hold.fencingToken).toBe(Math.max(...hold.reservations.map(({ fencingToken }) => fencingToken)));
    await expect(b.reserve(['y', 'x'])).rejects.toMatchObject({
      code: 'ALREADY_HELD',
      heldBy: { requester: a.requester },
    });
    expect((await b.check('y')).reserved).toBe(false);
  });

  test('takes several slots of a pool, and several readers of one resource', async () => {
    await using slots = await a.reserve('pool', { count: 2 });
    expect(slots.slots).toEqual(['pool_0', 'pool_1']);
    await expect(b.reserve('pool', { count: 2 })).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
    const readers = await Promise.all([a, a, b].map((client) => client.reserve('docs', { mode: 'SHARED' })));
    expect(readers.map(({ reservations }) => reservations[0]?.mode)).toEqual(['SHARED', 'SHARED', 'SHARED']);
    await expect(b.reserve('docs')).rejects.toMatchObject({ code: 'ALREADY_HELD' });
    await Promise.all(readers.map((reader) => reader.release()));
  });

  test('says who took it away', async () => {
    const hold = await a.reserve('wanted', { ttl: '1m' });
    await b.reset();
    const lost = { code: 'LEASE_LOST', message: expect.stringContaining('everything was released by key') };
    await expect(hold.renew()).rejects.toMatchObject(lost);
    expect(hold.signal.reason).toMatchObject(lost);
  });

  test('does not renew by itself: a hold that is forgotten ends, and its signal says so before', async () => {
    const hold = await a.reserve('forgotten', { ttl: '2s' });
    const told = new Promise((resolve) => {
      hold.signal.addEventListener('abort', () => resolve('told'));
    });
    // It is told 200 ms before the end. A busy machine delays this timer as it delays that of the hold.
    const late = sleep((hold.expiresAt?.getTime() ?? 0) - Date.now() - 100, 'late');
    expect(await Promise.race([told, late])).toBe('told');
    expect(hold.signal.reason).toMatchObject({ code: 'LEASE_LOST' });
    await until('it is free', () => b.available('forgotten'));
    await expect(hold.renew()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await hold.release()).toBe(false);
  });

  test.each([
    ['a ttl that is no duration', 'x', { ttl: 'soon' }],
    ['a wait without an end', 'x', { wait: Number.POSITIVE_INFINITY }],
    ['a name twice', ['x', 'y', 'x'], {}],
    ['no name', [], {}],
    ['a quantity without a match', 'x', { quantity: 2 }],
    ['a quantity below 1', { match: { os: 'android' }, quantity: 0 }, {}],
  ])('refuses %s', async (_, target, options) => {
    // @ts-expect-error Some of these are no options, which plain JavaScript does not know.
    await expect(a.reserve(target, options)).rejects.toMatchObject({ name: 'HoldfastError', code: 'INVALID_OPTION' });
  });
});

describe('renew', () => {
  test('makes the lease end that much from now, also earlier', async () => {
    await using hold = await a.reserve('renewed', { ttl: '60s' });
    await hold.renew('1h');
    expect((hold.expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3_500_000);
    expect(await a.renew(hold, '10s')).toEqual(hold.expiresAt);
    expect((hold.expiresAt?.getTime() ?? 0) - Date.now()).toBeLessThan(10_500);
    expect((await b.active({ resource: 'renewed' }))[0]?.expiresAt).toBe(hold.expiresAt?.toISOString());
    await expect(hold.renew(Number.POSITIVE_INFINITY)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('after a release is refused', async () => {
    const hold = await a.reserve('gone');
    await hold.release();
    await expect(hold.renew()).rejects.toMatchObject({ code: 'NOT_RESERVED' });
  });
});

describe('release and renew by a token', () => {
  test('work for another process', async () => {
    const { reservations } = await a.reserve('handed over');
    const key = JSON.parse(JSON.stringify(reservations[0]));
    expect((await b.renew(key, '2h'))?.getTime()).toBeGreaterThan(Date.now() + 7_000_000);
    expect(await b.release(key)).toBe(true);
    expect(await b.release(key)).toBe(false);
    await expect(b.renew(key, '2h')).rejects.toMatchObject({ code: 'NOT_RESERVED' });
  });

  test('refuse a wrong token', async () => {
    await using hold = await a.reserve('guarded');
    const key = { resource: 'guarded', requester: hold.requester, releaseToken: crypto.randomUUID() };
    const refused = { code: 'DOESNT_OWN_RESERVATION', message: expect.stringContaining('INVALID_RELEASE_TOKEN') };
    await expect(b.release(key)).rejects.toMatchObject(refused);
    await expect(b.renew(key, '1m')).rejects.toMatchObject(refused);
  });
});

describe('transaction', () => {
  test('releases and reserves in one step', async () => {
    const hold = await a.reserve('from');
    const [{ resource, requester, releaseToken } = { resource: '', requester: '', releaseToken: '' }] =
      hold.reservations;
    const response = await b.transaction({
      method: 'ALL_OR_NONE',
      requests: [
        { requestType: 'UNRESERVE', resource, requester, releaseToken },
        { requestType: 'RESERVE', resource: 'to', requester, ttl: '1m', note: 'moved' },
      ],
    });
    expect(response).toMatchObject({
      status: 'APPLIED',
      results: [{ status: 'RELINQUISHED' }, { status: 'ACQUIRED' }],
    });
    expect(await b.available('from')).toBe(true);
    const [active] = await b.active({ resource: 'to' });
    expect(active).toMatchObject({ requester, note: 'moved' });
    expect(Date.parse(active?.expiresAt ?? '') - Date.now()).toBeGreaterThan(50_000);
  });

  test('has leases of 30 s and the requester of the client, and says what was rolled back', async () => {
    const requests = ['to', 'alone'].map((resource) => ({ requestType: 'RESERVE' as const, resource }));
    expect(await b.transaction({ method: 'ALL_OR_NONE', requests })).toMatchObject({ status: 'ROLLED_BACK' });
    expect(await b.transaction({ method: 'FIRST', requests })).toMatchObject({ status: 'APPLIED' });
    const [active] = await b.active({ resource: 'alone' });
    expect(active?.requester).toBe(b.requester);
    expect(Date.parse(active?.expiresAt ?? '') - Date.now()).toBeLessThan(31_000);
  });

  test('waits, and is cancelled by its signal', async () => {
    const held = await a.reserve('awaited');
    const requests = [{ requestType: 'RESERVE' as const, resource: 'awaited' }];
    const first = b.transaction({ method: 'FIRST', requests, wait: '20s' });
    await until('it waits', async () => (await a.waiting()).length === 1);
    await held.release();
    expect(await first).toMatchObject({ status: 'APPLIED' });
    const giveUp = new AbortController();
    const second = a.transaction({ method: 'FIRST', requests, wait: '20s', signal: giveUp.signal });
    await until('it waits', async () => (await a.waiting()).length === 1);
    giveUp.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await until('it waits no more', async () => (await a.waiting()).length === 0, 10_000);
  });
});

describe('looking', () => {
  test('check says who holds one or several, and whether they could be reserved', async () => {
    await using hold = await a.reserve('looked at', { note: 'why' });
    const mine = { reserved: true, requester: hold.requester, note: 'why', reservable: false };
    expect(await b.check('looked at')).toMatchObject({ ...mine, heldByRequester: null });
    const { requester } = hold;
    expect(await b.check('looked at', { requester })).toMatchObject({ heldByRequester: true, reservable: true });
    expect(await b.check(['looked at', 'pool'])).toMatchObject([mine, { resource: 'pool', reserved: false }]);
    expect([await b.available('looked at'), await b.available('..')]).toEqual([false, true]);
  });

  test('active and waiting list reservations and tickets, of a resource or a requester', async () => {
    await using hold = await a.reserve('listed');
    const wait = b.reserve('listed', { wait: '20s', note: 'second' });
    await until('it waits', async () => (await a.waiting({ resource: 'listed' })).length === 1);
    expect(await b.active({ resource: 'listed' })).toMatchObject([{ requester: hold.requester }]);
    expect((await b.active({ requester: hold.requester })).map(({ resource }) => resource)).toContain('listed');
    expect(await a.waiting({ requester: b.requester })).toMatchObject([{ resources: ['listed'], note: 'second' }]);
    expect(await a.waiting({ requester: a.requester })).toEqual([]);
    await hold.release();
    await (await wait).release();
  });
});

describe('definitions', () => {
  test('are registered, listed, shown as a tree and deleted', async () => {
    expect(await a.register({ name: 'leaf', treePath: 'Top/1>Inner' })).toMatchObject([
      { name: 'leaf', treePath: 'Top/1>Inner', capacity: 1 },
      { name: 'Inner' },
      { name: 'Top/1' },
    ]);
    expect((await b.definitions()).map(({ name }) => name)).toContain('leaf');
    expect((await b.definitions({ label: 'os=ios' })).map(({ name }) => name)).toEqual(['phone2']);
    const top = (await b.tree()).find(({ name }) => name === 'Top/1');
    expect(top?.children[0]?.children[0]).toMatchObject({ name: 'leaf', available: 1 });
    await expect(b.unregister('Top/1')).rejects.toMatchObject({ code: 'REFUSED', status: 400 });
    expect(await b.unregister('Top/1', { cascade: true })).toEqual(['Top/1', 'Inner', 'leaf']);
    await expect(b.unregister('leaf')).rejects.toMatchObject({ code: 'NOT_REGISTERED', status: 404 });
  });
});

describe('reset', () => {
  test('ends all reservations', async () => {
    const hold = await a.reserve('all');
    expect(await b.reset()).toBeGreaterThan(0);
    expect(await b.active()).toEqual([]);
    expect(await hold.release()).toBe(false);
  });
});
