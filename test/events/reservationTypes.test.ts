/**
 * Events of single reservations, type by type: when each is sent, and every field of it.
 */
import { describe, expect, test } from 'vitest';
import { setClock } from '../support/clock.ts';
import { event, holdfast, type LeaseFields, NOW, reserve, subscriber, useEventFields } from '../support/watch.ts';

useEventFields();

describe('RESERVED', () => {
  test('a resource was reserved; the tag is the default one or the call’s', async () => {
    const { body } = await holdfast.reserve(
      { resource: 'r "1" \\ é🎉', requester: 'a\\b' },
      { resource: 'r2', requester: 'a', resourceType: 'Device' },
    );
    const common = { type: 'RESERVED', explanation: 'ACQUIRED', requestType: 'RESERVE' };
    expect(await subscriber.count(2)).toEqual([
      event({
        ...common,
        resource: 'r "1" \\ é🎉',
        requester: 'a\\b',
        resourceType: 'UserDefined',
        fencingToken: body[0]?.fencingToken,
      }),
      event({ ...common, resource: 'r2', requester: 'a', resourceType: 'Device', fencingToken: body[1]?.fencingToken }),
    ]);
  });

  test('has the lease, the slots of pools and the fencing token that the reservation has', async () => {
    await holdfast.register({ name: 'pool', capacity: 2 }, { name: 'in"k', capacity: 3 });
    await holdfast.register({ name: 'set', capacity: 2, treePath: 'pool' });
    const { body } = await holdfast.reserve(
      { resource: 'set', requester: 'a', ttlSeconds: 60 },
      { resource: 'in"k_2', requester: 'a' },
    );
    expect(body.map(({ status }) => status)).toEqual(['ACQUIRED', 'ACQUIRED']);
    const of = ({ expiresAt, acquiredSlots, fencingToken }: LeaseFields) => ({
      expiresAt,
      acquiredSlots,
      fencingToken,
    });
    const events = await subscriber.count(2);
    expect(events.map(of)).toEqual(body.map(of));
    expect(events.map(of)).toMatchObject([
      { expiresAt: '2048-03-01T00:00:59.007Z', acquiredSlots: { pool: 'pool_0', set: 'set_0' } },
      { expiresAt: null, acquiredSlots: { 'in"k': 'in"k_2' } },
    ]);
  });

  test('one a reservation: what it takes along sends none', async () => {
    await holdfast.register({ name: 'leaf', capacity: 2, treePath: 'root', blocks: ['block'] });
    const taken = await reserve('leaf');
    if (taken) await holdfast.unreserve({ ...taken, resource: 'leaf_0' });
    expect((await subscriber.count(2)).map(({ type, resource }) => [type, resource])).toEqual([
      ['RESERVED', 'leaf'],
      ['UNRESERVED', 'leaf'],
    ]);
  });

  test('ALREADY_HAD sends none', async () => {
    await reserve('r');
    await reserve('r');
    await reserve('end');
    expect((await subscriber.count(2)).map(({ resource }) => resource)).toEqual(['r', 'end']);
  });
});

describe('RENEWED', () => {
  test('a reservation has a new lease, and the rest is what RESERVED said', async () => {
    await holdfast.register({ name: 'pool', capacity: 2 });
    const taken = await reserve('pool', 'a', { resourceType: 'Device', ttlSeconds: 10 });
    await setClock(holdfast.redis, holdfast.tenant, NOW + 1000);
    if (taken) await holdfast.renew({ ...taken, resource: 'pool_0', ttlSeconds: 60 });
    const [reserved, renewed] = await subscriber.count(2);
    expect(reserved).toMatchObject({ resource: 'pool', expiresAt: '2048-03-01T00:00:09.007Z' });
    expect(renewed).toEqual({
      ...reserved,
      type: 'RENEWED',
      explanation: 'RENEWED',
      requestType: 'RENEW',
      timestamp: '2048-03-01T00:00:00.007Z',
      expiresAt: '2048-03-01T00:01:00.007Z',
    });
  });

  test('one for each item; one that fails sends none', async () => {
    const taken = await reserve('r');
    const other = await reserve('other', 'b');
    if (!taken || !other) throw new Error('not reserved');
    await holdfast.renew(
      { ...taken, ttlSeconds: 60 },
      { ...taken, requester: 'b', ttlSeconds: 60 },
      { ...taken, releaseToken: 'bad', ttlSeconds: 60 },
      { resource: 'free', requester: 'a', ttlSeconds: 60 },
      { ...other, ttlSeconds: 60 },
    );
    await reserve('end');
    expect((await subscriber.count(5)).slice(2).map(({ type, resource }) => [type, resource])).toEqual([
      ['RENEWED', 'r'],
      ['RENEWED', 'other'],
      ['RESERVED', 'end'],
    ]);
  });
});

describe('UNRESERVED', () => {
  test('a resource was released by an unreserve call', async () => {
    const taken = await reserve('r', 'a', { resourceType: 'Device' });
    if (taken) await holdfast.unreserve(taken);
    const common = { resource: 'r', requester: 'a', resourceType: 'Device' };
    expect((await subscriber.count(2))[1]).toEqual(
      event({
        ...common,
        type: 'UNRESERVED',
        explanation: 'RELINQUISHED',
        requestType: 'UNRESERVE',
        actor: 'key:wörk "er"',
      }),
    );
  });

  test('NOT_RESERVED sends none', async () => {
    await holdfast.unreserve({ resource: 'free', requester: 'a' });
    await reserve('end');
    expect((await subscriber.count(1))[0]?.resource).toBe('end');
  });
});

describe('RESERVATION_EXPIRED, then UNRESERVED', () => {
  test('of a lease that is over, before whatever takes its place', async () => {
    await reserve('r', 'a', { ttlSeconds: 1, resourceType: 'Device' });
    await setClock(holdfast.redis, holdfast.tenant, NOW + 1000);
    const next = await reserve('r', 'b');
    const timestamp = '2048-03-01T00:00:00.007Z';
    const common = { resource: 'r', requester: 'a', resourceType: 'Device', requestType: 'EXPIRE', timestamp };
    expect((await subscriber.count(4)).slice(1)).toEqual([
      event({ ...common, type: 'RESERVATION_EXPIRED', explanation: 'EXPIRED' }),
      event({ ...common, type: 'UNRESERVED', explanation: 'RELINQUISHED' }),
      event({
        type: 'RESERVED',
        resource: 'r',
        requester: 'b',
        explanation: 'ACQUIRED',
        resourceType: 'UserDefined',
        requestType: 'RESERVE',
        timestamp,
        fencingToken: next?.fencingToken,
      }),
    ]);
  });
});

describe('RESERVE_FAILED', () => {
  test('ALREADY_HELD, NOT_AVAILABLE and NOT_VALID, as the bare status', async () => {
    await holdfast.register({ name: 'pool', capacity: 2 }, { name: 'guarded', blocks: ['held'] });
    await reserve('held');
    await reserve('held', 'b', { resourceType: 'Device' });
    await reserve('guarded', 'b');
    await reserve('pool_7', 'b');
    const common = { type: 'RESERVE_FAILED', requester: 'b', requestType: 'RESERVE', resourceType: 'UserDefined' };
    expect((await subscriber.count(4)).slice(1)).toEqual([
      event({ ...common, resource: 'held', explanation: 'ALREADY_HELD', resourceType: 'Device' }),
      event({ ...common, resource: 'guarded', explanation: 'NOT_AVAILABLE' }),
      event({ ...common, resource: 'pool_7', explanation: 'NOT_VALID' }),
    ]);
  });
});

describe('UNRESERVE_FAILED', () => {
  test('another one’s reservation, and a bad token', async () => {
    await reserve('r');
    await holdfast.unreserve({ resource: 'r', requester: 'b' }, { resource: 'r', requester: 'a', releaseToken: 'bad' });
    const common = { type: 'UNRESERVE_FAILED', resource: 'r', requestType: 'UNRESERVE' };
    expect((await subscriber.count(3)).slice(1)).toEqual([
      event({ ...common, requester: 'b', explanation: 'DOESNT_OWN_RESERVATION' }),
      event({ ...common, requester: 'a', explanation: 'DOESNT_OWN_RESERVATION' }),
    ]);
  });
});
