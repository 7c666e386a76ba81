/**
 * The condition in reserve items, in releases and in the list of who waits: the fields of requests and results
 * (docs/specification.md#condition, #cancel-and-who-is-waiting). test/engine/conditions has the rules.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import type { TransactionResult } from '../../../src/contract/reservations.ts';
import { createClient } from '../../support/client.ts';
import { holdfast, reserve, useInstance } from '../../support/instance.ts';
import { makeConfiguredKey, makeTenant } from '../../support/service.ts';

const tenant = makeTenant();
const reserving = { ...makeConfiguredKey(tenant, 'user'), permission: 'reserve' as const };
useInstance({ keys: [makeConfiguredKey(tenant, 'main'), reserving] });
beforeEach(async () => {
  await holdfast.reset();
  await holdfast.register({ name: 'phone' }, { name: 'pool', capacity: 4 }, { name: 'bench', afterUse: 'dirty' });
  for (const resource of ['phone', 'pool', 'bench']) await holdfast.setCondition({ resource, condition: 'ready' });
});

const API = '/api/v1/Reservation';
const conditionOf = async (resource: string) => {
  const { condition = 'ready', conditionReason } = (await holdfast.check({ resource })).body[0] ?? {};
  return conditionReason === undefined ? condition : `${condition}: ${conditionReason}`;
};
const release = async (resource: string, more: object = {}) => {
  const { releaseToken } = await reserve(resource);
  const item = { resource, requester: 'alice', releaseToken, ...more };
  return holdfast.request<{ status: string; condition?: string }[]>('POST', `${API}/unreserve`, [item]);
};

describe('a reserve item asks for a condition', () => {
  test('and activeReservations shows it', async () => {
    await holdfast.setCondition({ resource: 'phone', condition: 'dirty' });
    expect((await reserve('phone')).explanation).toBe('NOT_AVAILABLE: phone needs cleaning');
    const held = await reserve('phone', 'cleaner', { condition: 'dirty' });
    expect(held).not.toHaveProperty('condition');
    expect((await holdfast.active('?requester=cleaner')).body).toMatchObject([{ condition: 'dirty' }]);
    // A reserve result can be sent back as it is.
    expect((await holdfast.unreserve(held)).body).toMatchObject([{ status: 'RELINQUISHED', condition: 'dirty' }]);
  });

  test.each([
    ['of a reserve item', 'reserve', (item: object) => [item], '[0].mode'],
    [
      'of a transaction',
      'transaction',
      (item: object) => ({ method: 'ALL_OR_NONE', requests: [{ requestType: 'RESERVE', ...item }] }),
      'requests[0].mode',
    ],
  ])('and not SHARED, %s', async (_, call, body, place) => {
    const item = { resource: 'phone', requester: 'r', condition: 'dirty', mode: 'SHARED' };
    expect(await holdfast.request('POST', `${API}/${call}`, body(item))).toMatchObject({
      status: 400,
      body: `${place} must not be SHARED where there is a condition`,
    });
  });

  test('ready is none of them', async () => {
    const item = { resource: 'phone', requester: 'r', condition: 'ready' };
    expect(await holdfast.request('POST', `${API}/reserve`, [item])).toMatchObject({
      status: 400,
      body: '[0].condition must be one of dirty, out',
    });
  });

  test('out needs the right define', async () => {
    await holdfast.setCondition({ resource: 'phone', condition: 'out' });
    const user = createClient(holdfast.url, reserving.key);
    expect((await user.reserve({ resource: 'phone', requester: 'r', condition: 'out' })).status).toBe(403);
    expect((await reserve('phone', 'repairer', { condition: 'out' })).status).toBe('ACQUIRED');
    await holdfast.setCondition({ resource: 'bench', condition: 'dirty' });
    const cleaned = await user.reserve({ resource: 'bench', requester: 'r', condition: 'dirty' });
    expect(cleaned.body).toMatchObject([{ status: 'ACQUIRED' }]);
  });
});

describe('a release says the condition of its slots', () => {
  test('with a reason', async () => {
    expect((await release('phone', { condition: 'out', reason: 'display dark' })).body).toMatchObject([
      { status: 'RELINQUISHED', condition: 'out' },
    ]);
    expect(await conditionOf('phone')).toBe('out: display dark');
  });

  test('of some of them, by their names', async () => {
    const { releaseToken } = await reserve('pool', 'alice', { count: 3 });
    const slots = ['pool_1', 'unknown'];
    const item = { resource: 'pool', requester: 'alice', releaseToken, condition: 'dirty' as const, slots };
    expect((await holdfast.unreserve(item)).body).toMatchObject([{ condition: 'dirty' }]);
    const found = await Promise.all(['pool_0', 'pool_1', 'pool_2'].map(conditionOf));
    expect(found).toEqual(['ready', 'dirty', 'ready']);
    const { body } = await holdfast.definitions();
    expect(body.find(({ name }) => name === 'pool')).toMatchObject({ dirty: 1 });
    expect((await holdfast.definitions('?condition=dirty')).body.map(({ name }) => name)).toEqual(['pool']);
    expect((await holdfast.tree()).body.find(({ name }) => name === 'pool')).toMatchObject({ available: 3, dirty: 1 });
  });

  test('in a transaction', async () => {
    const { releaseToken } = await reserve('phone');
    const item = { resource: 'phone', requester: 'alice', releaseToken, condition: 'out', reason: 'x' };
    const requests = [{ requestType: 'UNRESERVE', ...item }];
    const { body } = await holdfast.request<TransactionResult>('POST', `${API}/transaction`, {
      method: 'ALL_OR_NONE',
      requests,
    });
    expect(body).toMatchObject({ status: 'APPLIED', results: [{ status: 'RELINQUISHED', condition: 'out' }] });
  });

  test('says dirty by itself of what is dirty after use', async () => {
    expect((await release('bench')).body).toMatchObject([{ condition: 'dirty' }]);
    expect((await release('phone')).body[0]).not.toHaveProperty('condition');
    expect((await holdfast.definitions('?condition=dirty')).body).toMatchObject([{ name: 'bench', afterUse: 'dirty' }]);
  });

  test('a dry run changes nothing', async () => {
    const { releaseToken } = await reserve('phone');
    const item = { resource: 'phone', requester: 'alice', releaseToken, condition: 'out' };
    const { body } = await holdfast.request('POST', `${API}/unreserve?dryRun=true`, [item]);
    expect(body).toMatchObject([{ status: 'RELINQUISHED', condition: 'out' }]);
    expect(await conditionOf('phone')).toBe('ready');
  });

  test.each([
    ['a reason without a condition', { reason: 'x' }, '[0].reason needs condition'],
    ['another condition', { condition: 'broken' }, '[0].condition must be one of ready, dirty, out'],
    ['slots that are no names', { condition: 'out', slots: 'pool_1' }, '[0].slots must be an array of names'],
  ])('is refused with %s', async (_, more, body) => {
    expect(await release('phone', more)).toMatchObject({ status: 400, body });
    expect((await holdfast.active()).body).toHaveLength(1);
  });
});

describe('a definition that is listed can be registered again', () => {
  test('with its counts and afterUse', async () => {
    await holdfast.setCondition({ resource: 'pool_0', condition: 'out' }, { resource: 'pool_1', condition: 'dirty' });
    const { body: listed } = await holdfast.definitions();
    const again = await holdfast.request('POST', '/api/v1/Resource/register', listed);
    expect(again.status).toBe(200);
    expect((await holdfast.definitions()).body).toEqual(listed);
  });
});

const WAIT = { ttlSeconds: 60, waitSeconds: 60 };
const rows = async () => (await holdfast.request<object[]>('GET', `${API}/waiting`)).body;

describe('a request that waits, in the list of who waits', () => {
  test('shows the condition of each resource, if one of them is not ready', async () => {
    await holdfast.reserve({ resource: 'bench', requester: 'ann' });
    const requests = [
      { requestType: 'RESERVE', resource: 'phone', requester: 'cleaner', ttlSeconds: 60, condition: 'dirty' },
      { requestType: 'RESERVE', resource: 'bench', requester: 'cleaner', ttlSeconds: 60 },
    ];
    const body = { method: 'ALL_OR_NONE', requests, waitSeconds: 60 };
    await holdfast.request('POST', `${API}/transaction?pollSeconds=0`, body);
    expect(await rows()).toMatchObject([{ resources: ['phone', 'bench'], conditions: ['dirty', 'ready'] }]);
  });

  test.each(['dirty', 'out'] as const)('for what is %s says so', async (condition) => {
    await holdfast.request('POST', `${API}/reserve?pollSeconds=0`, [
      { resource: 'phone', requester: 'cleaner', condition, ...WAIT },
    ]);
    expect(await rows()).toMatchObject([{ resources: ['phone'], conditions: [condition] }]);
  });

  test('for ready slots says nothing', async () => {
    await holdfast.reserve({ resource: 'phone', requester: 'ann' });
    await holdfast.request('POST', `${API}/reserve?pollSeconds=0`, [{ resource: 'phone', requester: 'bob', ...WAIT }]);
    expect(await rows()).toMatchObject([{ requester: 'bob' }]);
    expect((await rows())[0]).not.toHaveProperty('conditions');
  });
});
