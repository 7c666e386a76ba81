/**
 * WANTED, and claimBy of RESERVED: what holders and those who wait are told (docs/specification.md#event-types).
 */
import { describe, expect, test } from 'vitest';
import { setClock } from '../support/clock.ts';
import { event, holdfast, NOW, reserve, subscriber, useEventFields } from '../support/watch.ts';

useEventFields();

const RESERVE = '/api/v1/Reservation/reserve?pollSeconds=0';
const wait = (resource: string, requester: string, more = {}) =>
  holdfast.request('POST', RESERVE, [{ resource, requester, ttlSeconds: 60, waitSeconds: 600, ...more }]);
const release = (resource: string, requester: string, held: Awaited<ReturnType<typeof reserve>>) =>
  holdfast.unreserve({ resource, requester, releaseToken: held?.releaseToken ?? '' });
/** What was WANTED, once there are so many events, as `resource of requester`. */
async function wanted(events: number): Promise<string[]> {
  const told = await subscriber.count(events);
  expect(told).toHaveLength(events);
  return told.filter(({ type }) => type === 'WANTED').map(({ resource, requester }) => `${resource} of ${requester}`);
}

describe('WANTED', () => {
  test('tells the holder of a resource that a ticket waits for it, with the fields of the reservation', async () => {
    const held = await reserve('lab', 'ann', { ttlSeconds: 3600, note: 'release 1.4', resourceType: 'Room' });
    await wait('lab', 'bob');
    const [, waiting, ...rest] = await subscriber.count(3);
    expect(waiting).toMatchObject({ type: 'WAITING', requester: 'bob' });
    expect(rest).toEqual([
      event({
        type: 'WANTED',
        requestType: 'WAIT',
        explanation: 'WAITING',
        resource: 'lab',
        requester: 'ann',
        resourceType: 'Room',
        expiresAt: new Date(NOW + 3_600_000).toISOString(),
        acquiredSlots: null,
        fencingToken: held?.fencingToken,
        note: 'release 1.4',
        waiting: 1,
      }),
    ]);
  });

  test('is sent once for each reservation, also if it is renewed', async () => {
    const held = await reserve('lab', 'ann', { ttlSeconds: 3600 });
    await wait('lab', 'bob');
    await holdfast.renew({ resource: 'lab', requester: 'ann', releaseToken: held?.releaseToken ?? '', ttlSeconds: 60 });
    await wait('lab', 'cleo');
    await holdfast.request('POST', '/api/v1/Reservation/cancel', [{ requester: 'bob', resource: 'lab' }]);
    await wait('lab', 'dora');
    expect(await wanted(7)).toEqual(['lab of ann']);
  });

  test('is sent to the next holder when a further ticket is issued', async () => {
    const held = await reserve('lab', 'ann');
    await wait('lab', 'bob');
    await wait('lab', 'cleo');
    await release('lab', 'ann', held);
    await wait('lab', 'dora');
    expect(await wanted(9)).toEqual(['lab of ann', 'lab of bob']);
    expect(subscriber.events.at(-1)).toMatchObject({ waiting: 2 });
  });

  test('is sent when a ticket comes to wait for something else', async () => {
    const a = await reserve('a', 'ann');
    await reserve('b', 'bob');
    await holdfast.request('POST', '/api/v1/Reservation/transaction?pollSeconds=0', {
      method: 'ALL_OR_NONE',
      requests: ['a', 'b'].map((resource) => ({ requestType: 'RESERVE', resource, requester: 'cleo', ttlSeconds: 60 })),
      waitSeconds: 60,
    });
    expect(await wanted(4)).toEqual(['a of ann']);
    await release('a', 'ann', a);
    expect(await wanted(6)).toEqual(['a of ann', 'b of bob']);
  });

  test('is sent for one slot of a pool, and not for a full pool', async () => {
    await holdfast.register({ name: 'pool', capacity: 2 });
    await reserve('pool', 'ann');
    await reserve('pool', 'bob');
    await wait('pool', 'cleo');
    expect(await wanted(3)).toEqual([]);
    await wait('pool_1', 'dora');
    expect(await wanted(5)).toEqual(['pool of bob']);
  });

  test('is sent for each slot of a reservation of several', async () => {
    await holdfast.register({ name: 'pool', capacity: 3 });
    await reserve('pool', 'ann', { count: 2 });
    await wait('pool_1', 'bob');
    await wait('pool_0', 'cleo');
    expect(await wanted(4)).toEqual(['pool of ann']);
  });

  test('is not sent for what a reservation takes along, or holds SHARED', async () => {
    await holdfast.register({ name: 'root' }, { name: 'leaf', treePath: 'root', blocks: ['tool'] });
    await reserve('leaf', 'ann');
    await reserve('docs', 'ann', { mode: 'SHARED' });
    for (const resource of ['root', 'tool', 'docs']) await wait(resource, 'bob');
    expect(await wanted(5)).toEqual([]);
  });

  test('is not sent if nothing is held', async () => {
    await holdfast.register({ name: 'broken' });
    await holdfast.request('PUT', '/api/v1/Resource/condition', [{ resource: 'broken', condition: 'out' }]);
    await wait('broken', 'bob');
    const types = (await subscriber.count(2)).map(({ type }) => type);
    expect(types).toEqual(['CONDITION', 'WAITING']);
  });
});

describe('claimBy of RESERVED', () => {
  test('is until when a grant has to be claimed', async () => {
    const held = await reserve('lab', 'ann');
    await wait('lab', 'bob', { claimSeconds: 120 });
    await release('lab', 'ann', held);
    const claimBy = new Date(NOW + 120_000).toISOString();
    const events = await subscriber.count(6);
    expect(events[0]).not.toHaveProperty('claimBy');
    expect(events.slice(4)).toMatchObject([
      { type: 'RESERVED', requester: 'bob', claimBy, expiresAt: claimBy },
      { type: 'WAIT_ENDED' },
    ]);
  });

  test('is in no other event, also of the same millisecond', async () => {
    const held = await reserve('lab', 'ann');
    await wait('lab', 'bob', { claimSeconds: 60 });
    await reserve('desk', 'ann', { ttlSeconds: 60 });
    await release('lab', 'ann', held);
    await reserve('lamp', 'ann', { ttlSeconds: 60 });
    await setClock(holdfast.redis, holdfast.tenant, NOW + 1);
    await wait('lab', 'bob');
    const events = await subscriber.count(9);
    expect(events.map(({ type, claimBy }) => (claimBy === undefined ? type : `${type} by ${claimBy}`))).toEqual([
      ...['RESERVED', 'WAITING', 'WANTED', 'RESERVED', 'UNRESERVED'],
      ...[`RESERVED by ${new Date(NOW + 60_000).toISOString()}`, 'WAIT_ENDED', 'RESERVED', 'RENEWED'],
    ]);
  });
});
