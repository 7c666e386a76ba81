/**
 * `reason` in check, in WAITING results and in the list of waits: who is in the way
 * (docs/specification.md#who-is-in-the-way).
 */

import { beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../src/contract/reservations.ts';
import { holdfast, useInstance } from '../support/instance.ts';

useInstance();
beforeEach(() => holdfast.reset());

const take = async (requester: string, resource: string, more = {}) => {
  const { body } = await holdfast.reserve({ resource, requester, ttlSeconds: 600, note: `for ${resource}`, ...more });
  expect(body[0]?.status).toBe('ACQUIRED');
};
const reasonOf = async (resource: string, requester?: string) =>
  (await holdfast.check({ resource, ...(requester && { requester }) })).body[0]?.reason;
const WAIT = { ttlSeconds: 600, waitSeconds: 300 };
const wait = async (requester: string, resource: string, more = {}) =>
  (
    await holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource, requester, ...WAIT, ...more },
    ])
  ).body[0];
/** Waits for both: the first is kept while the second is held. */
const waitForBoth = (requester: string, first: string, second: string) => {
  const one = { requestType: 'RESERVE', requester, ttlSeconds: 9 };
  const requests = [
    { ...one, resource: first },
    { ...one, resource: second },
  ];
  const body = { method: 'ALL_OR_NONE', requests, waitSeconds: 60 };
  return holdfast.request<TransactionResult>('POST', '/api/v1/Reservation/transaction?pollSeconds=2', body);
};
const listed = async (resource: string) => (await holdfast.waiting(`?resource=${resource}`)).body;

/** Somebody who holds a slot by a reservation of `resource`. */
const holder = (requester: string, slot: string, resource = slot) => ({
  requester,
  resource,
  slot,
  since: expect.any(String),
  until: expect.any(String),
  note: `for ${resource}`,
});
const waiter = (requester: string, note: string | null = null) => ({
  requester,
  since: expect.any(String),
  until: expect.any(String),
  note,
});

describe('a plain name', () => {
  test('has its holder, with the note, since when and until when', async () => {
    await take('ann', 'printer');
    const { body } = await holdfast.check({ resource: 'printer' });
    const holders = [holder('ann', 'printer')];
    expect(body[0]?.reason).toEqual({ kind: 'SLOTS', resource: 'printer', holders, more: 0, next: [] });
    expect(body[0]?.reason?.holders[0]?.until).toBe(body[0]?.expiresAt);
  });

  test('without a lease ends never: until is null', async () => {
    await holdfast.reserve({ resource: 'printer', requester: 'ann' });
    expect(await reasonOf('printer')).toMatchObject({
      holders: [{ since: expect.any(String), until: null, note: null }],
    });
  });

  test('names the first three who wait, in the order of the queue', async () => {
    await take('ann', 'printer');
    for (const requester of ['b', 'c', 'd', 'e']) await wait(requester, 'printer', { note: requester });
    await wait('urgent', 'printer', { priority: 5 });
    expect((await reasonOf('printer'))?.next).toEqual([waiter('urgent'), waiter('b', 'b'), waiter('c', 'c')]);
  });

  test('has no reason for a requester that could reserve it, or holds it', async () => {
    await take('ann', 'printer');
    expect(await reasonOf('printer', 'ann')).toBe(undefined);
    expect(await reasonOf('free')).toBe(undefined);
    expect(await reasonOf('printer', 'bob')).toMatchObject({ kind: 'SLOTS' });
  });

  test('that is held SHARED has each reader, as far as they fit', async () => {
    for (const requester of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await take(requester, 'docs', { mode: 'SHARED' });
    const holders = ['a', 'b', 'c', 'd', 'e'].map((requester) => holder(requester, 'docs'));
    expect(await reasonOf('docs')).toEqual({ kind: 'SLOTS', resource: 'docs', holders, more: 2, next: [] });
  });

  test('that is kept has those who wait for it, and no holder', async () => {
    await take('ann', 'scanner');
    const held = waitForBoth('bob', 'kept', 'scanner');
    await expect
      .poll(() => reasonOf('kept'))
      .toEqual({ kind: 'QUEUE', resource: 'kept', holders: [], more: 0, next: [waiter('bob')] });
    await held;
  });
});

describe('a pool', () => {
  test('has the holder of each slot; slots that one reservation holds have the same', async () => {
    await holdfast.register({ name: 'twos', capacity: 2 }, { name: 'env', capacity: 2 });
    await take('ann', 'twos');
    await take('bob', 'twos');
    await take('loadtest', 'env', { count: 2 });
    expect(await reasonOf('twos')).toMatchObject({
      kind: 'SLOTS',
      resource: 'twos',
      holders: [holder('ann', 'twos_0', 'twos'), holder('bob', 'twos_1', 'twos')],
    });
    expect(await reasonOf('env')).toMatchObject({
      holders: [holder('loadtest', 'env_0', 'env'), holder('loadtest', 'env_1', 'env')],
    });
  });

  test('has the first five, and how many slots are held besides', async () => {
    await holdfast.register({ name: 'many', capacity: 40 });
    await take('ann', 'many', { count: 40 });
    const reason = await reasonOf('many');
    expect(reason).toMatchObject({ more: 35, holders: [0, 1, 2, 3, 4].map((i) => ({ slot: `many_${i}` })) });
  });

  test('has the holder of the slot, if one is requested by name', async () => {
    await holdfast.register({ name: 'twos', capacity: 2 });
    await take('ann', 'twos_1');
    expect(await reasonOf('twos_1')).toMatchObject({
      kind: 'SLOTS',
      resource: 'twos_1',
      holders: [holder('ann', 'twos_1')],
    });
    expect(await reasonOf('twos')).toBe(undefined);
  });
});

describe('an ancestor that is full', () => {
  test('has who holds its slots, by themselves or through something below', async () => {
    await holdfast.register(
      { name: 'api', treePath: 'env' },
      { name: 'web', treePath: 'env' },
      { name: 'env', capacity: 2 },
    );
    await take('ann', 'env');
    await take('bob', 'web');
    expect(await reasonOf('api')).toEqual({
      kind: 'ANCESTOR',
      resource: 'env',
      holders: [holder('ann', 'env_0', 'env'), holder('bob', 'env_1', 'web')],
      more: 0,
      next: [],
    });
  });

  test('has it through groups, pools and shared holds below', async () => {
    await holdfast.register(
      { name: 'lab', capacity: 3 },
      { name: 'phones', group: true, treePath: 'lab' },
      { name: 'android', capacity: 2, treePath: 'lab>phones' },
      { name: 'docs', treePath: 'lab>phones' },
      { name: 'desk', treePath: 'lab>floor', groups: false },
      { name: 'other', treePath: 'lab' },
    );
    await take('ann', 'android');
    await take('bob', 'docs', { mode: 'SHARED' });
    await take('cleo', 'desk');
    expect((await reasonOf('other'))?.holders).toEqual([
      holder('ann', 'lab_0', 'android'),
      holder('bob', 'lab_1', 'docs'),
      holder('cleo', 'lab_2', 'desk'),
    ]);
  });

  test('has the requester alone, if the reservation cannot be found', async () => {
    await holdfast.register({ name: 'pair', capacity: 2, treePath: 'house' }, { name: 'room', treePath: 'house' });
    await take('ann', 'pair_1');
    expect((await reasonOf('room'))?.holders).toEqual([
      { requester: 'ann', resource: null, slot: 'house', since: null, until: null, note: null },
    ]);
  });
});

describe('a blocker that is held', () => {
  test('has who holds what takes it along, and never a system requester', async () => {
    await holdfast.register({ name: 'rigA', blocks: ['left'] }, { name: 'rigB', blocks: ['left'] });
    await take('rigger', 'rigA');
    expect(await reasonOf('rigB')).toMatchObject({
      kind: 'BLOCKER',
      resource: 'left',
      holders: [holder('rigger', 'left', 'rigA')],
    });
    expect(await reasonOf('left')).toMatchObject({
      kind: 'SLOTS',
      resource: 'left',
      holders: [holder('rigger', 'left', 'rigA')],
    });
  });

  test('has each holder of a pool that takes it along, and who holds it itself', async () => {
    await holdfast.register({ name: 'jets', capacity: 2, blocks: ['ink'] }, { name: 'laser', blocks: ['ink'] });
    await take('ann', 'jets');
    await take('bob', 'jets');
    expect((await reasonOf('laser'))?.holders).toEqual([holder('ann', 'ink', 'jets'), holder('bob', 'ink', 'jets')]);
    await holdfast.reset();
    await take('cleo', 'ink');
    expect(await reasonOf('laser')).toMatchObject({
      kind: 'BLOCKER',
      resource: 'ink',
      holders: [holder('cleo', 'ink')],
    });
  });

  test('has who holds a leaf whose ancestor takes it along', async () => {
    await holdfast.register({ name: 'room', treePath: 'house' }, { name: 'house', blocks: ['gate'] });
    await take('ann', 'room');
    expect((await reasonOf('gate'))?.holders).toEqual([holder('ann', 'gate', 'room')]);
  });
});

describe('a request that waits', () => {
  test('says who is in the way, and who is before it', async () => {
    await take('ann', 'printer');
    const first = await wait('bob', 'printer');
    expect(first?.explanation).toBe('WAITING: you are next');
    expect(first?.waiting?.reason).toEqual({
      kind: 'SLOTS',
      resource: 'printer',
      holders: [holder('ann', 'printer')],
      more: 0,
      next: [],
    });
    const second = await wait('cleo', 'printer');
    expect(second?.explanation).toBe('WAITING: 1 before you');
    expect(second?.waiting?.reason).toMatchObject({ holders: [holder('ann', 'printer')], next: [waiter('bob')] });
  });

  test('has the ancestor or blocker that it lacks', async () => {
    await holdfast.register(
      { name: 'db', treePath: 'site' },
      { name: 'ui', treePath: 'site' },
      { name: 'jet', blocks: ['ink'] },
    );
    await take('bob', 'ui');
    await take('ann', 'ink');
    expect((await wait('cleo', 'db'))?.waiting?.reason).toMatchObject({
      kind: 'ANCESTOR',
      resource: 'site',
      holders: [holder('bob', 'site', 'ui')],
    });
    expect((await wait('cleo', 'jet'))?.waiting?.reason).toMatchObject({ kind: 'BLOCKER', resource: 'ink' });
  });

  test('for more slots than are free has those who hold the others', async () => {
    await holdfast.register({ name: 'three', capacity: 3 });
    await take('ann', 'three', { count: 2 });
    const holders = ['three_0', 'three_1'].map((slot) => holder('ann', slot, 'three'));
    const waits = await wait('cleo', 'three', { count: 2 });
    expect(waits?.waiting?.reason).toMatchObject({ kind: 'SLOTS', resource: 'three', holders });
  });

  test('for what is kept has those before it, and no holder', async () => {
    await take('ann', 'drum');
    const held = waitForBoth('bob', 'stage', 'drum');
    await expect.poll(() => listed('stage')).toHaveLength(1);
    expect((await wait('cleo', 'stage'))?.waiting?.reason).toEqual({
      kind: 'QUEUE',
      resource: 'stage',
      holders: [],
      more: 0,
      next: [waiter('bob')],
    });
    const standing = { waitsFor: 'drum', reason: { kind: 'SLOTS', holders: [holder('ann', 'drum')] } };
    expect((await held).body.results).toMatchObject([{ waiting: standing }, { waiting: standing }]);
  });

  test('for any resource that fits has the holders of those that do', async () => {
    const labels = { os: 'android' };
    await holdfast.register({ name: 'phone1', labels }, { name: 'phone2', labels });
    await take('ann', 'phone1');
    await take('bob', 'phone2');
    const waits = await wait('cleo', '', { resource: undefined, match: labels });
    expect(waits?.waiting?.reason).toMatchObject({
      kind: 'SLOTS',
      resource: 'os=android',
      holders: [holder('ann', 'phone1'), holder('bob', 'phone2')],
    });
  });

  test('is listed with who holds what it waits for', async () => {
    await take('ann', 'printer');
    await wait('bob', 'printer');
    await wait('cleo', 'printer');
    const reason = { kind: 'SLOTS', resource: 'printer', holders: [holder('ann', 'printer')], more: 0, next: [] };
    expect(await listed('printer')).toMatchObject([
      { requester: 'bob', reason },
      { requester: 'cleo', reason },
    ]);
  });
});
