/**
 * Shared holds: readers and a writer (docs/specification.md#shared-holds).
 */
import { describe, expect, test } from 'vitest';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import { free, holdfast, release, reserve, useInstance } from '../support/instance.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

useInstance();

const share = (resource: string, requester: string, more: Partial<ReserveItem> = {}) =>
  reserve(resource, requester, { mode: 'SHARED', ...more });

describe('mode', () => {
  test('SHARED: any number of requesters hold it, each with a token, a lease and a fencing token of its own', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `r${i}`);
    const shares = [];
    for (const [i, name] of names.entries()) shares.push(await share('docs', name, { ttlSeconds: 60 + i }));
    expect(shares.map(({ status, mode }) => [status, mode])).toEqual(names.map(() => ['ACQUIRED', 'SHARED']));
    for (const field of ['releaseToken', 'expiresAt', 'fencingToken'] as const)
      expect(new Set(shares.map((one) => one[field])).size).toBe(30);
    const { body } = await holdfast.active('?resource=docs');
    expect(body.map(({ requester, mode }) => [requester, mode]).sort()).toEqual(
      names.map((name) => [name, 'SHARED']).sort(),
    );
  });

  test('while one does, nobody can hold it EXCLUSIVE; and the other way round', async () => {
    const a = await share('page', 'a');
    const b = await share('page', 'b');
    expect(await reserve('page', 'w')).toMatchObject({ status: 'ALREADY_HELD', explanation: 'ALREADY_HELD' });
    expect(await release(a)).toEqual([]);
    expect(await reserve('page', 'w')).toMatchObject({ status: 'ALREADY_HELD' });
    expect(await free('page')).toBe(false);
    expect(await release(b)).toEqual(['page']);
    expect(await free('page')).toBe(true);
    const w = await reserve('page', 'w', { mode: 'EXCLUSIVE' });
    expect(w).toMatchObject({ status: 'ACQUIRED', mode: 'EXCLUSIVE' });
    expect(await share('page', 'a')).toMatchObject({ status: 'ALREADY_HELD' });
    expect(await release(w)).toEqual(['page']);
    expect(await share('page', 'a')).toMatchObject({ status: 'ACQUIRED' });
  });

  test('EXCLUSIVE is the default, and results that need no mode have none', async () => {
    const one = await reserve('usual');
    expect(one).not.toHaveProperty('mode');
    expect(await share('usual', 'b')).toMatchObject({ status: 'ALREADY_HELD' });
    const { body } = await holdfast.check({ resource: 'usual' });
    expect(body[0]).not.toHaveProperty('mode');
    expect(body[0]).not.toHaveProperty('holders');
    const [listed] = (await holdfast.active('?resource=usual')).body;
    expect(listed).not.toHaveProperty('mode');
  });

  test('is for a resource of capacity 1, or a slot by its name; SHARED on a pool’s logical name is NOT_VALID', async () => {
    await holdfast.register({ name: 'rack', capacity: 3 }, { name: 'single' });
    expect(await share('rack', 'a')).toMatchObject({
      status: 'NOT_VALID',
      explanation: 'NOT_VALID: rack has 3 slots; SHARED needs the name of one, rack_0 to rack_2',
    });
    expect(await share('single', 'a')).toMatchObject({ status: 'ACQUIRED', mode: 'SHARED' });
    const a = await share('rack_0', 'a');
    const b = await share('rack_0', 'b');
    expect([a.status, b.status]).toEqual(['ACQUIRED', 'ACQUIRED']);
    expect(a.acquiredSlots).toEqual({ rack: 'rack_0' });
    expect(await reserve('rack_0', 'w')).toMatchObject({ status: 'ALREADY_HELD' });
    expect((await reserve('rack', 'a')).acquiredSlots).toEqual({ rack: 'rack_1' });
    expect((await reserve('rack', 'b')).acquiredSlots).toEqual({ rack: 'rack_2' });
    expect(await reserve('rack', 'c')).toMatchObject({ status: 'NOT_AVAILABLE' });
    expect(await release(a)).toEqual([]);
    expect(await release(b)).toEqual(['rack_0']);
    expect((await reserve('rack', 'c')).acquiredSlots).toEqual({ rack: 'rack_0' });
  });

  test('not together with a count: 400', async () => {
    const item = { resource: 'a', requester: 'a', mode: 'SHARED', count: 1 };
    const one = await holdfast.request('POST', '/api/v1/Reservation/reserve', [item]);
    expect([one.status, one.body]).toEqual([400, '[0].mode must not be SHARED where there is a count']);
    const requests = [{ requestType: 'RESERVE', ...item }];
    const all = await holdfast.request('POST', '/api/v1/Reservation/transaction', { method: 'FIRST', requests });
    expect([all.status, all.body]).toEqual([400, 'requests[0].mode must not be SHARED where there is a count']);
  });

  test.each(['shared', 1, null, ''])('of %j is a 400', async (mode) => {
    const { status, body } = await holdfast.request('POST', '/api/v1/Reservation/reserve', [
      { resource: 'a', requester: 'a', mode },
    ]);
    expect([status, body]).toEqual([400, '[0].mode must be one of EXCLUSIVE, SHARED']);
  });
});

describe('a requester that holds it already', () => {
  test('SHARED, and asks again: ALREADY_HAD, with its token', async () => {
    const first = await share('again', 'a', { ttlSeconds: 60 });
    const again = await share('again', 'a', { ttlSeconds: 600 });
    expect(again).toEqual({ ...first, status: 'ALREADY_HAD', explanation: 'ALREADY_HAD' });
  });

  test('EXCLUSIVE, and asks for SHARED: ALREADY_HAD, mode EXCLUSIVE', async () => {
    const first = await reserve('mine', 'a');
    expect(await share('mine', 'a')).toMatchObject({
      status: 'ALREADY_HAD',
      mode: 'EXCLUSIVE',
      releaseToken: first.releaseToken,
    });
    expect(await share('mine', 'b')).toMatchObject({ status: 'ALREADY_HELD' });
  });

  test('along, as an ancestor, and asks for SHARED: its own hold is EXCLUSIVE, and so is the reservation', async () => {
    await holdfast.register({ name: 'desk', treePath: 'room' });
    await reserve('desk', 'a');
    expect(await share('room', 'b')).toMatchObject({ status: 'ALREADY_HELD' });
    const own = await share('room', 'a');
    expect(own).toMatchObject({ status: 'ACQUIRED', mode: 'EXCLUSIVE' });
    expect(await share('room', 'b')).toMatchObject({ status: 'ALREADY_HELD' });
    expect(await release(own)).toEqual([]);
  });
});

describe('ancestors and blockers', () => {
  test('are always taken EXCLUSIVE: below an ancestor of capacity 1 only one requester can hold a leaf', async () => {
    await holdfast.register({ name: 'leaf', treePath: 'trunk' });
    const a = await share('leaf', 'a');
    expect(a).toMatchObject({ status: 'ACQUIRED', reservedAtPath: 'trunk>leaf', mode: 'SHARED' });
    expect(await share('leaf', 'b')).toMatchObject({ explanation: 'NOT_AVAILABLE: ancestor trunk is at capacity' });
    expect(await share('trunk', 'b')).toMatchObject({ status: 'ALREADY_HELD' });
    expect(await release(a)).toEqual(['leaf', 'trunk']);
  });

  test('a blocker is held once, for all holders, until the last of them has released', async () => {
    await holdfast.register({ name: 'board', blocks: ['chalk'] });
    const a = await share('board', 'a');
    const b = await share('board', 'b');
    expect([a.acquiredBlockers, b.acquiredBlockers]).toEqual([['chalk'], ['chalk']]);
    expect(await share('chalk', 'c')).toMatchObject({ status: 'ALREADY_HELD' });
    expect(await release(a)).toEqual([]);
    expect(await release(b)).toEqual(['board', 'chalk']);
  });

  test('a resource that is held SHARED is no blocker, nor ancestor, for anybody', async () => {
    await holdfast.register({ name: 'oven', blocks: ['gas'] }, { name: 'pan', treePath: 'stove' });
    await share('gas', 'a');
    await share('stove', 'a');
    expect(await reserve('oven', 'b')).toMatchObject({ explanation: 'NOT_AVAILABLE: blocker gas is held' });
    expect(await share('oven', 'a')).toMatchObject({ explanation: 'NOT_AVAILABLE: blocker gas is held' });
    expect(await reserve('pan', 'b')).toMatchObject({ explanation: 'NOT_AVAILABLE: ancestor stove is at capacity' });
  });

  test('a resource is held SHARED by a path, and released by any of its names', async () => {
    await holdfast.register({ name: 'root1', capacity: 5 }, { name: 'bud', treePath: 'root1' });
    const a = await share('root1>bud', 'a');
    expect(a).toMatchObject({ status: 'ACQUIRED', acquiredSlots: { root1: 'root1_0' } });
    expect(await share('bud', 'b')).toMatchObject({ acquiredSlots: { root1: 'root1_1' } });
    expect(await share('bud', 'a')).toMatchObject({ status: 'ALREADY_HAD', releaseToken: a.releaseToken });
    expect(await release({ ...a, resource: 'bud' })).toEqual(['root1_0']);
  });
});

describe('a shared hold is a reservation', () => {
  test('that only its own token releases and renews', async () => {
    const a = await share('own', 'a', { ttlSeconds: 60 });
    const b = await share('own', 'b', { ttlSeconds: 60 });
    const wrong = { resource: 'own', requester: 'a', releaseToken: b.releaseToken };
    expect((await holdfast.unreserve(wrong)).body).toMatchObject([{ explanation: 'INVALID_RELEASE_TOKEN' }]);
    expect((await holdfast.unreserve({ ...wrong, requester: 'c' })).body).toMatchObject([
      { status: 'DOESNT_OWN_RESERVATION' },
    ]);
    const renewed = await holdfast.renew({ ...a, ttlSeconds: 600 });
    expect(renewed.body).toMatchObject([{ status: 'RENEWED' }]);
    const { body } = await holdfast.active('?resource=own');
    expect(new Map(body.map(({ requester, expiresAt }) => [requester, expiresAt]))).toEqual(
      new Map([
        ['a', renewed.body[0]?.expiresAt],
        ['b', b.expiresAt],
      ]),
    );
    expect((await holdfast.unreserve(a)).body).toMatchObject([{ status: 'RELINQUISHED', released: [] }]);
  });

  test('that ends with its own lease, and leaves the others', async () => {
    const stream = await watch(holdfast);
    const b = await share('leased', 'b', { ttlSeconds: 60 });
    await share('leased', 'a', { ttlSeconds: 1 });
    const isLeft = async () => (await holdfast.check({ resource: 'leased' })).body[0]?.holders === 1 || null;
    await until('the lease has ended', isLeft);
    const events = await stream.count(4);
    expect(events.map(({ type, requester }) => [type, requester])).toEqual([
      ['RESERVED', 'b'],
      ['RESERVED', 'a'],
      ['RESERVATION_EXPIRED', 'a'],
      ['UNRESERVED', 'a'],
    ]);
    expect(events.slice(0, 2).map(({ mode }) => mode)).toEqual(['SHARED', 'SHARED']);
    stream.close();
    expect((await holdfast.check({ resource: 'leased' })).body).toMatchObject([
      { requester: 'b', holders: 1, expiresAt: b.expiresAt },
    ]);
    expect(await release(b)).toEqual(['leased']);
  });

  test('that counts as one, and a reset ends all of them', async () => {
    await holdfast.reset();
    for (const name of ['a', 'b', 'c']) await share('counted', name);
    expect((await holdfast.reset()).body).toEqual({ cleared: 3 });
    expect(await free('counted')).toBe(true);
  });
});

describe('check', () => {
  const check = async (resource: string, requester?: string) => {
    const { body } = await holdfast.check(requester === undefined ? { resource } : { resource, requester });
    return body[0];
  };

  test('has mode and holders; its requester is null if there are several', async () => {
    const a = await share('seen', 'a', { ttlSeconds: 60 });
    expect(await check('seen')).toMatchObject({ requester: 'a', mode: 'SHARED', holders: 1, expiresAt: a.expiresAt });
    const b = await share('seen', 'b', { ttlSeconds: 90 });
    expect(await check('seen')).toMatchObject({ reserved: true, requester: null, holders: 2, expiresAt: null });
    expect(await check('seen', 'b')).toMatchObject({ heldByRequester: true, holders: 2, expiresAt: b.expiresAt });
    expect(await check('seen', 'c')).toMatchObject({ heldByRequester: false, holders: 2, expiresAt: null });
    await release(a);
    expect(await check('seen')).toMatchObject({ requester: 'b', mode: 'SHARED', holders: 1, expiresAt: b.expiresAt });
  });

  test('shows the holders of a slot', async () => {
    await holdfast.register({ name: 'bay', capacity: 2 });
    await share('bay_1', 'a');
    await share('bay_1', 'b');
    expect(await check('bay_1')).toMatchObject({ reserved: true, requester: null, mode: 'SHARED', holders: 2 });
    expect(await check('bay')).toMatchObject({ reserved: false, requester: null });
    expect(await check('bay')).not.toHaveProperty('mode');
  });
});

describe('a transaction', () => {
  type Item = Pick<ReserveItem, 'resource' | 'mode'> & { readonly requester?: string };
  const ask = async (method: string, ...items: Item[]) => {
    const requests = items.map((item) => ({ requestType: 'RESERVE' as const, requester: 'a', ...item }));
    const { body } = await holdfast.transaction(method, ...requests);
    return [body.status, ...body.results.map((one) => ('mode' in one ? one.mode : one.explanation))];
  };
  const mode = 'SHARED' as const;

  test('takes SHARED and EXCLUSIVE holds together, all or none', async () => {
    await share('t1', 'b');
    expect(await ask('ALL_OR_NONE', { resource: 't1', mode }, { resource: 't2', mode: 'EXCLUSIVE' })).toEqual([
      'APPLIED',
      'SHARED',
      'EXCLUSIVE',
    ]);
    const refused = await ask(
      'ALL_OR_NONE',
      { resource: 't3', mode, requester: 'c' },
      { resource: 't2', mode, requester: 'c' },
    );
    expect(refused).toEqual(['ROLLED_BACK', 'ROLLED_BACK', 'ALREADY_HELD']);
    expect(await free('t3')).toBe(true);
    expect((await holdfast.active('?resource=t3')).body).toEqual([]);
  });

  test('hands a shared hold over, and sees the effect of the items before', async () => {
    const a = await share('t4', 'a');
    const { body } = await holdfast.transaction(
      'ALL_OR_NONE',
      { requestType: 'UNRESERVE', resource: 't4', requester: 'a', releaseToken: a.releaseToken },
      { requestType: 'RESERVE', resource: 't4', requester: 'b' },
      { requestType: 'RESERVE', resource: 't4', requester: 'b', mode },
    );
    expect(body.results.map(({ status }) => status)).toEqual(['RELINQUISHED', 'ACQUIRED', 'ALREADY_HAD']);
    expect(await ask('AS_MANY_AS_POSSIBLE', { resource: 't5', mode }, { resource: 't5' })).toEqual([
      'APPLIED',
      'SHARED',
      'ALREADY_HELD: you hold it SHARED; release it first',
    ]);
    expect(await ask('FIRST', { resource: 't4', mode }, { resource: 't5', mode })).toEqual([
      'APPLIED',
      'ALREADY_HELD',
      'SHARED',
    ]);
  });
});
