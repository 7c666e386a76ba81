/**
 * `reservable` in check: whether a reserve would succeed now (docs/specification.md#check).
 */

import { beforeEach, describe, expect, test } from 'vitest';
import type { CheckItem } from '../../src/contract/check.ts';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { poll, queue, wanted } from '../support/polls.ts';

useInstance();
beforeEach(() => holdfast.reset());

const reservable = async (...items: CheckItem[]) => (await holdfast.check(...items)).body.map((one) => one.reservable);
const take = (resource: string, requester: string) => holdfast.reserve({ resource, requester });

describe('a new requester', () => {
  test('could reserve a plain name that is free, and not one that is held', async () => {
    await take('held', 'bob');
    expect(await reservable({ resource: 'free' }, { resource: 'held' })).toEqual([true, false]);
  });

  test('could not reserve a free leaf below a full ancestor', async () => {
    await holdfast.register({ name: 'leaf1', treePath: 'root1' }, { name: 'leaf2', treePath: 'root1' });
    await take('leaf1', 'bob');
    const { body } = await holdfast.check({ resource: 'leaf2' });
    expect(body).toMatchObject([{ reserved: false, reservable: false }]);
  });

  test('could not reserve what needs a blocker that is held', async () => {
    await holdfast.register({ name: 'scanner', blocks: ['lamp'] });
    expect(await reservable({ resource: 'scanner' })).toEqual([true]);
    await take('lamp', 'bob');
    expect(await reservable({ resource: 'scanner' })).toEqual([false]);
  });

  test('could reserve a pool while a slot is free, a slot of it while that is free', async () => {
    await holdfast.register({ name: 'pool', capacity: 2 });
    const all = [{ resource: 'pool' }, { resource: 'pool_0' }, { resource: 'pool_1' }, { resource: 'pool_2' }];
    expect(await reservable(...all)).toEqual([true, true, true, false]);
    await take('pool', 'bob');
    expect(await reservable(...all)).toEqual([true, false, true, false]);
    await take('pool', 'cleo');
    expect(await reservable(...all)).toEqual([false, false, false, false]);
  });

  test('could not reserve a name that is not valid', async () => {
    await holdfast.register({ name: 'room', treePath: 'house' });
    expect(await reservable({ resource: 'street>room' }, { resource: 'house>room' })).toEqual([false, true]);
  });
});

describe('the requester of the item', () => {
  test('could reserve what it holds, since that succeeds with ALREADY_HAD', async () => {
    await holdfast.register({ name: 'pool', capacity: 1, treePath: 'top' });
    await take('pool', 'ann');
    await take('plain', 'ann');
    const both = [{ resource: 'pool' }, { resource: 'plain' }];
    expect(await reservable(...both.map((one) => ({ ...one, requester: 'ann' })))).toEqual([true, true]);
    expect(await reservable(...both.map((one) => ({ ...one, requester: 'bob' })))).toEqual([false, false]);
  });

  test('could reserve more leaves below an ancestor of which it has a slot', async () => {
    await holdfast.register({ name: 'leaf3', treePath: 'root3' }, { name: 'leaf4', treePath: 'root3' });
    await take('leaf3', 'ann');
    const asked = ['ann', 'bob'].map((requester) => ({ resource: 'leaf4', requester }));
    expect(await reservable(...asked)).toEqual([true, false]);
  });
});

describe('what is kept for waiting requests', () => {
  test('is not reservable, though it is free: plain names, and pools', async () => {
    await holdfast.register({ name: 'pair', capacity: 2 });
    await take('last', 'bob');
    const waiting = ['plain', 'pair', 'last'].map((resource) => ({
      ...wanted(resource, 'wim'),
      waitSeconds: undefined,
    }));
    const requests = waiting.map((one) => ({ requestType: 'RESERVE', ...one }));
    const waiter = holdfast.request('POST', '/api/v1/Reservation/transaction', {
      method: 'ALL_OR_NONE',
      requests,
      waitSeconds: 60,
    });
    await queue(holdfast, 'wim waits', (tickets) => tickets.length === 1);
    const { body } = await holdfast.check({ resource: 'plain' }, { resource: 'pair' }, { resource: 'other' });
    expect(body.map((one) => [one.reserved, one.reservable])).toEqual([
      [false, false],
      [false, true],
      [false, true],
    ]);
    await take('pair', 'cleo');
    expect(await reservable({ resource: 'pair' })).toEqual([false]);
    await holdfast.reset();
    await waiter;
  });

  test('is not reservable for a requester that waits for it either, as a try ranks behind its own ticket', async () => {
    await take('busy', 'bob');
    const held = poll(holdfast, [wanted('busy', 'ann')]);
    await queue(holdfast, 'ann waits', (tickets) => tickets.length === 1);
    expect(await reservable({ resource: 'busy', requester: 'ann' })).toEqual([false]);
    await holdfast.reset();
    await held.response;
  });

  test('and a grant that is not claimed yet is reservable for its requester', async () => {
    const { body } = await take('busy', 'bob');
    await poll(holdfast, [wanted('busy', 'ann')], 0).first;
    await holdfast.unreserve({ resource: 'busy', requester: 'bob', releaseToken: body[0]?.releaseToken ?? null });
    expect(await reservable({ resource: 'busy', requester: 'ann' }, { resource: 'busy' })).toEqual([true, false]);
    expect((await holdfast.active()).body).toMatchObject([{ claimBy: expect.any(String) }]);
  });
});

test('it agrees with a dry run', async () => {
  await holdfast.register(
    { name: 'hall', capacity: 2 },
    { name: 'desk', capacity: 3, treePath: 'hall', blocks: ['lift'] },
    { name: 'chair', treePath: 'hall>desk' },
  );
  const names = ['hall', 'desk', 'chair', 'lift', 'desk_1', 'desk_7', 'hall>desk', 'none'];
  const items = ['ann', 'bob', 'cleo'].flatMap((requester) => names.map((resource) => ({ resource, requester })));
  for (const [resource, requester] of [
    ['chair', 'ann'],
    ['desk_1', 'bob'],
    ['hall', 'ann'],
    ['none', 'cleo'],
  ] as const) {
    await take(resource, requester);
    // One at a time: the items of a batch see each other's effect.
    const dry = await Promise.all(
      items.map(async (one) => {
        const path = '/api/v1/Reservation/reserve?dryRun=true';
        const { body } = await holdfast.request<ReserveResult[]>('POST', path, [one]);
        return ['ACQUIRED', 'ALREADY_HAD'].includes(body[0]?.status ?? '');
      }),
    );
    expect(await reservable(...items)).toEqual(dry);
  }
});

test('is null for what would exceed the work budget; the other fields are there', async () => {
  const blocks = Array.from({ length: 60 }, (_, i) => `blocker${i}`);
  await holdfast.register({ name: 'large', blocks });
  const { status, body } = await holdfast.check(...Array.from({ length: 100 }, () => ({ resource: 'large' })));
  expect(status).toBe(200);
  expect(body[0]).toMatchObject({ reserved: false, reservable: true });
  expect(body[99]).toMatchObject({ reserved: false, waiting: 0, reservable: null });
});
