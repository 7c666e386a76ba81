/**
 * Waiting as callers see it: results, the header, the queue, cancelling, events and costs
 * (docs/specification.md#waiting).
 */

import { beforeEach, describe, expect, test } from 'vitest';
import { Event } from '../../../src/contract/events.ts';
import { ActiveReservation, type ReserveResult, type TransactionResult } from '../../../src/contract/reservations.ts';
import { Standing, WaitingRequest } from '../../../src/contract/waiting.ts';
import { holdfast, useInstance } from '../../support/instance.ts';
import { makeConfiguredKey, makeTenant } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { watch } from '../../support/watch.ts';

useInstance({ keys: [makeConfiguredKey(makeTenant(), 'worker')] });

let resource = '';
let fresh = 0;
let holder: ReserveResult | undefined;
beforeEach(async () => {
  await holdfast.reset();
  resource = `busy${fresh++}`;
  [holder] = (await holdfast.reserve({ resource, requester: 'holder' })).body;
});

const RESERVE = '/api/v1/Reservation/reserve';
const item = (requester: string, more = {}) => ({ resource, requester, ttlSeconds: 600, waitSeconds: 300, ...more });
const wait = (requester: string, pollSeconds: number, more = {}) =>
  holdfast.request<ReserveResult[]>('POST', `${RESERVE}?pollSeconds=${pollSeconds}`, [item(requester, more)]);
const release = () => holdfast.unreserve({ resource, requester: 'holder', releaseToken: holder?.releaseToken ?? null });
const queue = async (query = `?resource=${resource}`) => (await holdfast.waiting(query)).body;
const requesters = async (query?: string) => (await queue(query)).map(({ requester }) => requester);

describe('a reserve item that waits', () => {
  test('is held until the resource is released, and then has it', async () => {
    const held = wait('ann', 30);
    await until('ann waits', async () => (await requesters()).includes('ann'));
    await release();
    const { status, headers, body } = await held;
    expect([status, headers.get('holdfast-waiting')]).toEqual([200, null]);
    expect(body).toMatchObject([{ status: 'ACQUIRED', requester: 'ann', waitedMs: expect.any(Number) }]);
    expect(body[0]?.waitedMs).toBeGreaterThanOrEqual(0);
    expect(body[0]).not.toHaveProperty('waiting');
  });

  test('is answered WAITING, with its place, once pollSeconds have passed', async () => {
    await wait('first', 0, { priority: 1 });
    const { status, headers, body } = await wait('ann', 1);
    expect([status, headers.get('holdfast-waiting')]).toEqual([200, 'true']);
    expect(body).toEqual([
      {
        resource,
        requester: 'ann',
        status: 'WAITING',
        explanation: 'WAITING: 1 before you',
        releaseToken: null,
        expiresAt: null,
        acquiredSlots: null,
        acquiredBlockers: null,
        reservedAtPath: null,
        fencingToken: null,
        waiting: {
          ahead: 1,
          waitsFor: resource,
          since: expect.any(String),
          until: expect.any(String),
          reason: expect.objectContaining({ kind: 'SLOTS', resource }),
        },
      },
    ]);
    const { since, until: end } = Standing.parse(body[0]?.waiting);
    expect(Date.parse(end) - Date.parse(since)).toBe(300_000);
  });

  test('has its place, and who is in the way, as of its response', async () => {
    const lamp = `${resource}-lamp`;
    const [held] = (await holdfast.reserve({ resource: lamp, requester: 'holder' })).body;
    const items = [item('ann'), item('ann', { resource: lamp })];
    const call = holdfast.request<ReserveResult[]>('POST', `${RESERVE}?pollSeconds=20`, items);
    await until('ann waits', async () => (await queue(`?resource=${lamp}`)).length === 1);
    for (const requester of ['next', 'other']) await wait(requester, 0, { priority: 1 });
    await release();
    await holdfast.unreserve({ resource: lamp, requester: 'holder', releaseToken: held?.releaseToken ?? null });
    const [first, second] = (await call).body;
    expect(second?.status).toBe('ACQUIRED');
    expect(first).toMatchObject({
      explanation: 'WAITING: 1 before you',
      waiting: { ahead: 1, reason: { holders: [{ requester: 'next' }], next: [{ requester: 'other' }] } },
    });
  });

  test('has waited 0 ms if it can be had at once; one that does not ask to wait has no such field', async () => {
    const { body } = await holdfast.reserve(item('ann', { resource: `${resource}-free` }), {
      resource: `${resource}-free2`,
      requester: 'ann',
    });
    expect(body[0]?.waitedMs).toBe(0);
    expect(body[1]).not.toHaveProperty('waitedMs');
  });

  test('gets a grant that nobody attended by sending the same request again; until then it has claimBy', async () => {
    await wait('ann', 0);
    await release();
    const [unclaimed] = (await holdfast.active(`?resource=${resource}`)).body;
    ActiveReservation.strict().parse(unclaimed);
    expect(unclaimed).toMatchObject({ requester: 'ann', claimBy: unclaimed?.expiresAt });
    expect(unclaimed?.claimBy).not.toBeNull();
    const { body } = await wait('ann', 0);
    expect(body).toMatchObject([{ status: 'ACQUIRED', waitedMs: expect.any(Number) }]);
    expect((await holdfast.active(`?resource=${resource}`)).body).toMatchObject([
      { requester: 'ann', claimBy: null, expiresAt: body[0]?.expiresAt },
    ]);
  });
});

describe('a transaction that waits', () => {
  test('has the status WAITING, and so have its items; then it is applied as a whole', async () => {
    const body = {
      method: 'ALL_OR_NONE',
      waitSeconds: 300,
      requests: [`${resource}-free`, resource].map((name) => ({
        requestType: 'RESERVE',
        resource: name,
        requester: 'ann',
        ttlSeconds: 60,
      })),
    };
    const call = () =>
      holdfast.request<TransactionResult>('POST', '/api/v1/Reservation/transaction?pollSeconds=0', body);
    const first = await call();
    expect([first.status, first.headers.get('holdfast-waiting'), first.body.status]).toEqual([200, 'true', 'WAITING']);
    expect(first.body.results.map(({ status }) => status)).toEqual(['WAITING', 'WAITING']);
    const resources = [`${resource}-free`, resource];
    expect(await queue()).toMatchObject([{ resources, method: 'ALL_OR_NONE', waitsFor: resource }]);
    expect((await holdfast.check({ resource: `${resource}-free` })).body).toMatchObject([{ reserved: false }]);
    await release();
    const second = await call();
    expect([second.headers.get('holdfast-waiting'), second.body.status]).toEqual([null, 'APPLIED']);
    expect(second.body.results.map(({ status }) => status)).toEqual(['ACQUIRED', 'ACQUIRED']);
  });
});

describe('the list of waits', () => {
  test('is in the order of the queue, and filtered by resource and requester', async () => {
    for (const [requester, priority] of [
      ['low', -5],
      ['first', 0],
      ['second', 0],
      ['high', 5],
    ] as const)
      await wait(requester, 0, { priority });
    const rows = await queue();
    for (const row of rows) WaitingRequest.strict().parse(row);
    expect(rows.map(({ requester }) => requester)).toEqual(['high', 'first', 'second', 'low']);
    expect(rows[0]).toEqual({
      requester: 'high',
      resources: [resource],
      counts: [1],
      ttlSeconds: 600,
      method: null,
      priority: 5,
      since: expect.any(String),
      until: expect.any(String),
      waitsFor: resource,
      attended: false,
      apiKeyLabel: 'worker',
      reason: expect.objectContaining({ kind: 'SLOTS', resource }),
    });
    expect(await requesters('?requester=second')).toEqual(['second']);
    expect(await requesters('?requester=second&resource=other')).toEqual([]);
  });

  test('says how many slots each request asks for, and for how long', async () => {
    const pool = `${resource}-pool`;
    await holdfast.register({ name: pool, capacity: 3 });
    await holdfast.reserve({ resource: pool, requester: 'x', count: 2 });
    await wait('ann', 0, { resource: pool, count: 2, ttlSeconds: 90 });
    const requests = [
      { requestType: 'RESERVE', resource: pool, requester: 'bob', count: 3, ttlSeconds: 60 },
      { requestType: 'RESERVE', resource: 'other', requester: 'bob', ttlSeconds: 120 },
    ];
    const body = { method: 'ALL_OR_NONE', waitSeconds: 300, requests };
    await holdfast.request('POST', '/api/v1/Reservation/transaction?pollSeconds=0', body);
    expect(await queue(`?resource=${pool}`)).toMatchObject([
      { requester: 'ann', resources: [pool], counts: [2], ttlSeconds: 90 },
      { requester: 'bob', resources: [pool, 'other'], counts: [3, 1], ttlSeconds: 120 },
    ]);
  });

  test('is counted by check, and by the nodes of the tree', async () => {
    await holdfast.register({ name: resource });
    await wait('ann', 0);
    await wait('bob', 0);
    expect((await holdfast.check({ resource })).body).toMatchObject([{ waiting: 2 }]);
    const node = (await holdfast.tree()).body.find(({ name }) => name === resource);
    expect(node).toMatchObject({ available: 0, waiting: 2 });
  });
});

describe('cancel', () => {
  test('ends the wait of this requester and no other, and the call that is held for it', async () => {
    await wait('bob', 0);
    const held = wait('ann', 30);
    await until('ann waits', async () => (await requesters()).includes('ann'));
    const ann = { resource, requester: 'ann' };
    expect((await holdfast.cancel(ann, ann)).body).toEqual([
      { ...ann, status: 'CANCELLED' },
      { ...ann, status: 'NOT_WAITING' },
    ]);
    expect((await held).body).toMatchObject([{ status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE: cancelled' }]);
    expect(await requesters()).toEqual(['bob']);
  });
});

describe('events', () => {
  test('tell of the wait, the grant, its end and the claim', async () => {
    const subscriber = await watch(holdfast);
    await wait('ann', 0);
    await release();
    await wait('ann', 0);
    const events = await subscriber.count(6);
    for (const one of events) Event.strict().parse(one);
    expect(events[0]).toMatchObject({ resource, method: null, changes: null, apiKeyLabel: 'worker' });
    expect(events.map(({ type, requester, explanation }) => [type, requester, explanation])).toEqual([
      ['WAITING', 'ann', 'WAITING'],
      ['WANTED', 'holder', 'WAITING'],
      ['UNRESERVED', 'holder', 'RELINQUISHED'],
      ['RESERVED', 'ann', 'ACQUIRED'],
      ['WAIT_ENDED', 'ann', 'ACQUIRED'],
      ['RENEWED', 'ann', 'RENEWED'],
    ]);
    expect(events[0]?.requestType).toBe('WAIT');
    subscriber.close();
  });
});

describe('events of a transaction that waits', () => {
  test('have its method and its changes', async () => {
    const subscriber = await watch(holdfast);
    const requests = [{ requestType: 'RESERVE', resource, requester: 'ann', ttlSeconds: 60 }];
    const body = { method: 'FIRST', waitSeconds: 300, requests };
    await holdfast.request('POST', '/api/v1/Reservation/transaction?pollSeconds=0', body);
    await holdfast.cancel({ resource, requester: 'ann' });
    const events = await subscriber.count(3);
    for (const one of events) Event.strict().parse(one);
    expect(events).toMatchObject([
      { type: 'WAITING', resource: null, requester: null, method: 'FIRST', changes: [{ explanation: 'WAITING' }] },
      { type: 'WANTED', resource, requester: 'holder' },
      { type: 'WAIT_ENDED', explanation: 'CANCELLED', method: 'FIRST', changes: [{ resource, requester: 'ann' }] },
    ]);
    subscriber.close();
  });

  test('tell of a reservation that two of its items name once', async () => {
    const subscriber = await watch(holdfast);
    const item = { requestType: 'RESERVE', requester: 'ann', ttlSeconds: 60 };
    const requests = [resource, 'other', resource].map((name) => ({ ...item, resource: name }));
    const body = { method: 'ALL_OR_NONE', waitSeconds: 300, requests };
    await holdfast.request('POST', '/api/v1/Reservation/transaction?pollSeconds=0', body);
    await release();
    const applied = (await subscriber.count(3)).find(({ type }) => type === 'TRANSACTION_APPLIED');
    expect(applied?.changes?.map(({ explanation }) => explanation)).toEqual(['ACQUIRED', 'ACQUIRED', 'ALREADY_HAD']);
    subscriber.close();
  });
});

describe('a wait costs', () => {
  const left = (headers: Headers, limitType: string) =>
    Number(new RegExp(`"${limitType}";r=(\\d+)`).exec(headers.get('ratelimit') ?? '')?.[1]);
  const readsLeft = async () => left((await holdfast.available('x')).headers, 'ReadsPerMinute');

  test('one write an item at first, and one read whenever it goes on', async () => {
    const { headers: before } = await holdfast.cancel({ resource: 'none', requester: 'none' });
    const { headers: first } = await wait('ann', 0);
    expect(left(first, 'OperationsPerMinute')).toBe(left(before, 'OperationsPerMinute') - 1);
    const reads = await readsLeft();
    const { headers: again } = await wait('ann', 0);
    expect(left(again, 'OperationsPerMinute')).toBe(left(first, 'OperationsPerMinute'));
    let looks = 0;
    await until('the read is charged', async () => (await readsLeft()) === reads - ++looks - 1);
  });
});
