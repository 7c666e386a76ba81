/**
 * The two status tables and the state table of the interface, row by row, over HTTP.
 */

import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { changeFlag } from '../support/hotRecord.ts';
import { holdfast, useInstance } from '../support/instance.ts';

useInstance({ includes: { 'frame/now': STEERED_CLOCK } });
beforeEach(async () => {
  await holdfast.reset();
  await changeFlag(holdfast.redis, holdfast.tenant, 'strict', false);
});

const reserve = async (resource: string, requester: string, ttlSeconds?: number) => {
  const { status, body } = await holdfast.reserve({ resource, requester, ttlSeconds });
  const [result] = body;
  if (result === undefined) throw new Error('no result');
  expect(status).toBe(200);
  return result;
};
const unreserve = async (resource: string, requester: string, releaseToken?: string | null) => {
  const { status, body } = await holdfast.unreserve({ resource, requester, releaseToken });
  return { http: status, ...body[0] };
};
const owner = async (resource: string) => (await holdfast.check({ resource })).body[0]?.requester;

describe('reserve result statuses', () => {
  test('ACQUIRED: reserved; releaseToken is set', async () => {
    expect(await reserve('r', 'a')).toMatchObject({ status: 'ACQUIRED', releaseToken: expect.any(String) });
  });

  test('ALREADY_HAD: the same requester already holds it; existing token returned', async () => {
    const { releaseToken } = await reserve('r', 'a');
    expect(await reserve('r', 'a')).toMatchObject({ status: 'ALREADY_HAD', releaseToken });
  });

  test('ALREADY_HELD: a different requester holds it', async () => {
    await reserve('r', 'a');
    expect(await reserve('r', 'b')).toMatchObject({ status: 'ALREADY_HELD', releaseToken: null });
  });

  test('NOT_AVAILABLE: a capacity resource has no free slots', async () => {
    await holdfast.register({ name: 'pool', capacity: 2 });
    await reserve('pool', 'a');
    await reserve('pool', 'b');
    expect(await reserve('pool', 'c')).toMatchObject({ status: 'NOT_AVAILABLE', releaseToken: null });
  });

  test('NOT_VALID: the resource is not registered, where the tenant requires that', async () => {
    await changeFlag(holdfast.redis, holdfast.tenant, 'strict', true);
    expect(await reserve('stranger', 'a')).toMatchObject({ status: 'NOT_VALID', releaseToken: null });
    await holdfast.register({ name: 'friend', blocks: ['stranger'] });
    expect((await reserve('friend', 'a')).status).toBe('ACQUIRED');
  });
});

describe('unreserve result statuses', () => {
  test('RELINQUISHED: released lists all freed physical resources', async () => {
    await holdfast.register({ name: 'leaf', capacity: 2, treePath: 'root', blocks: ['blocker'] });
    const { releaseToken } = await reserve('leaf', 'a');
    expect(await unreserve('leaf', 'a', releaseToken)).toMatchObject({
      http: 200,
      status: 'RELINQUISHED',
      released: ['leaf_0', 'root', 'blocker'],
    });
  });

  test('NOT_RESERVED: already free', async () => {
    expect(await unreserve('r', 'a', randomUUID())).toMatchObject({ http: 200, status: 'NOT_RESERVED' });
  });

  test('DOESNT_OWN_RESERVATION: the requester does not hold the resource', async () => {
    const { releaseToken } = await reserve('r', 'a');
    expect(await unreserve('r', 'b', releaseToken)).toMatchObject({ http: 200, status: 'DOESNT_OWN_RESERVATION' });
  });
});

describe('states and transitions', () => {
  test('free, reserve → held by the requester, blockers and ancestors too', async () => {
    await holdfast.register({ name: 'leaf', treePath: 'root', blocks: ['blocker'] });
    await reserve('leaf', 'a');
    expect([await owner('leaf'), await owner('root'), await owner('blocker')]).toEqual(['a', 'a', 'system:leaf']);
  });

  test('held by R, reserve by R → held by R', async () => {
    await reserve('r', 'a');
    await reserve('r', 'a');
    expect(await owner('r')).toBe('a');
  });

  test('held by another requester, reserve → unchanged', async () => {
    await reserve('r', 'a');
    await reserve('r', 'b');
    expect(await owner('r')).toBe('a');
  });

  test('a capacity resource with all slots taken, reserve → unchanged', async () => {
    await holdfast.register({ name: 'pool', capacity: 2 });
    for (const requester of ['a', 'b', 'c']) await reserve('pool', requester);
    expect([await owner('pool_0'), await owner('pool_1')]).toEqual(['a', 'b']);
  });

  test('an unregistered name, reserve where registration is required → unchanged', async () => {
    await changeFlag(holdfast.redis, holdfast.tenant, 'strict', true);
    await reserve('stranger', 'a');
    expect(await owner('stranger')).toBeNull();
  });

  test('held by R, unreserve with the correct token → free, blockers no longer needed too', async () => {
    await holdfast.register({ name: 'leaf', treePath: 'root', blocks: ['blocker'] });
    const { releaseToken } = await reserve('leaf', 'a');
    await unreserve('leaf', 'a', releaseToken);
    expect([await owner('leaf'), await owner('root'), await owner('blocker')]).toEqual([null, null, null]);
  });

  test('free, unreserve → free', async () => {
    await unreserve('r', 'a', randomUUID());
    expect(await owner('r')).toBeNull();
  });

  test('held by another requester, unreserve → unchanged', async () => {
    const { releaseToken } = await reserve('r', 'a');
    await unreserve('r', 'b', releaseToken);
    expect(await owner('r')).toBe('a');
  });

  test('held, unreserve with an invalid or missing token → unchanged, HTTP 403 with per-item results', async () => {
    await reserve('r', 'a');
    for (const token of [randomUUID(), undefined]) {
      expect(await unreserve('r', 'a', token)).toMatchObject({ http: 403, explanation: 'INVALID_RELEASE_TOKEN' });
    }
    expect(await owner('r')).toBe('a');
  });

  test('held with TTL, TTL elapsed → free, blockers and ancestors too', async () => {
    const now = Date.now();
    await setClock(holdfast.redis, holdfast.tenant, now);
    await holdfast.register({ name: 'leaf', treePath: 'root', blocks: ['blocker'] });
    const { expiresAt } = await reserve('leaf', 'a', 10);
    expect(expiresAt).toBe(new Date(now + 10_000).toISOString());
    await setClock(holdfast.redis, holdfast.tenant, now + 9999);
    expect(await owner('leaf')).toBe('a');
    await setClock(holdfast.redis, holdfast.tenant, now + 10_000);
    expect([await owner('leaf'), await owner('root'), await owner('blocker')]).toEqual([null, null, null]);
    await holdfast.redis.del(`{${holdfast.tenant}}:clock`);
  });

  test('held, tenant reset → free', async () => {
    await holdfast.register({ name: 'leaf', capacity: 2, treePath: 'root', blocks: ['blocker'] });
    await reserve('leaf', 'a');
    await reserve('leaf', 'b');
    await reserve('r', 'a', 60);
    expect(await holdfast.reset()).toMatchObject({ status: 200, body: { cleared: 2 } });
    for (const name of ['leaf_0', 'root', 'blocker', 'r']) expect(await owner(name)).toBeNull();
    expect((await holdfast.active()).body).toEqual([]);
    expect((await holdfast.definitions()).body).toContainEqual(expect.objectContaining({ name: 'leaf' }));
  });

  test('several resources, a transaction that succeeds → applied', async () => {
    const { body } = await holdfast.transaction(
      'ALL_OR_NONE',
      { requestType: 'RESERVE', resource: 'one', requester: 'a' },
      { requestType: 'RESERVE', resource: 'two', requester: 'a' },
    );
    expect(body).toMatchObject({ status: 'APPLIED', results: [{ status: 'ACQUIRED' }, { status: 'ACQUIRED' }] });
    expect([await owner('one'), await owner('two')]).toEqual(['a', 'a']);
  });

  test('several resources, an ALL_OR_NONE conflict → rolled back', async () => {
    await reserve('two', 'b');
    const { body } = await holdfast.transaction(
      'ALL_OR_NONE',
      { requestType: 'RESERVE', resource: 'one', requester: 'a' },
      { requestType: 'RESERVE', resource: 'two', requester: 'a' },
    );
    expect(body).toMatchObject({ status: 'ROLLED_BACK' });
    expect([await owner('one'), await owner('two')]).toEqual([null, 'b']);
  });
});
