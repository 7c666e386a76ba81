/**
 * Events of transactions, resets and limits: when each is sent, and every field of it. What sends none.
 */
import { describe, expect, test } from 'vitest';
import { setClock } from '../support/clock.ts';
import { changeHot } from '../support/hotRecord.ts';
import { event, holdfast, NOW, reserve, subscriber, useEventFields, watch } from '../support/watch.ts';

useEventFields();

describe('TRANSACTION_APPLIED, TRANSACTION_ROLLED_BACK', () => {
  test('one for the whole, with its changes, and none for its items', async () => {
    const requests = [
      { requestType: 'RESERVE' as const, resource: 't1', requester: 'a', ttlSeconds: 60 },
      { requestType: 'UNRESERVE' as const, resource: 't2', requester: 'b' },
    ];
    const applied = (await holdfast.transaction('ALL_OR_NONE', ...requests)).body.results[0];
    await reserve('t3', 'c');
    await holdfast.transaction('ALL_OR_NONE', ...requests, { ...requests[0], resource: 't3' } as (typeof requests)[0]);
    const events = await subscriber.count(3);
    const fencingToken = applied && 'fencingToken' in applied ? applied.fencingToken : null;
    const lease = { expiresAt: '2048-03-01T00:00:59.007Z', acquiredSlots: null, fencingToken };
    const change = (resource: string, requester: string, requestType: string, explanation: string) => ({
      resource,
      requester,
      requestType,
      explanation,
    });
    const common = { requestType: 'TRANSACTION', method: 'ALL_OR_NONE' };
    expect(events[0]).toEqual(
      event({
        ...common,
        type: 'TRANSACTION_APPLIED',
        explanation: 'APPLIED',
        changes: [
          { ...change('t1', 'a', 'RESERVE', 'ACQUIRED'), ...lease },
          change('t2', 'b', 'UNRESERVE', 'NOT_RESERVED'),
        ],
      }),
    );
    expect(events[2]).toEqual(
      event({
        ...common,
        type: 'TRANSACTION_ROLLED_BACK',
        explanation: 'ROLLED_BACK',
        changes: [
          change('t1', 'a', 'RESERVE', 'NOT_AVAILABLE'),
          change('t2', 'b', 'UNRESERVE', 'NOT_AVAILABLE'),
          change('t3', 'a', 'RESERVE', 'ALREADY_HELD'),
        ],
      }),
    );
  });
});

describe('the order of events', () => {
  test('has a transaction before the grant of what it released', async () => {
    const held = await reserve('n', 'a');
    const item = { requester: 'b', resource: 'n', ttlSeconds: 60, waitSeconds: 60 };
    await holdfast.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [item]);
    await holdfast.transaction(
      'ALL_OR_NONE',
      { requestType: 'UNRESERVE', resource: 'n', requester: 'a', releaseToken: held?.releaseToken ?? '' },
      { requestType: 'RESERVE', resource: 'm', requester: 'a' },
    );
    expect((await subscriber.count(6)).map(({ type }) => type)).toEqual([
      ...['RESERVED', 'WAITING', 'WANTED', 'TRANSACTION_APPLIED', 'RESERVED', 'WAIT_ENDED'],
    ]);
  });
});

describe('WAITING, WAIT_ENDED', () => {
  test('have each field once', async () => {
    await reserve('w', 'a');
    const item = { requester: 'b', resource: 'w', ttlSeconds: 60, waitSeconds: 60 };
    await holdfast.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [item]);
    await holdfast.request('POST', '/api/v1/Reservation/cancel', [{ requester: 'b', resource: 'w' }]);
    const transaction = {
      method: 'ALL_OR_NONE',
      requests: [{ requestType: 'RESERVE', resource: 'w', requester: 'c', ttlSeconds: 60 }],
      waitSeconds: 60,
    };
    await holdfast.request('POST', '/api/v1/Reservation/transaction?pollSeconds=0', transaction);
    await holdfast.request('POST', '/api/v1/Reservation/cancel', [{ requester: 'c', resource: 'w' }]);
    const events = await subscriber.count(6);
    expect(events.slice(1).map(({ type }) => type)).toEqual([
      ...['WAITING', 'WANTED', 'WAIT_ENDED', 'WAITING', 'WAIT_ENDED'],
    ]);
    expect(subscriber.texts.slice(1)).toEqual(events.slice(1).map((event) => JSON.stringify(event)));
  });
});

describe('RESERVED', () => {
  test('names the resource that a match took, also if the item may wait', async () => {
    await holdfast.register({ name: 'phone', labels: { os: 'android' } });
    const match = { os: 'android' };
    const items = [{ requester: 'a', match, ttlSeconds: 60, waitSeconds: 60 }];
    expect((await holdfast.request('POST', '/api/v1/Reservation/reserve', items)).body).toMatchObject([
      { status: 'ACQUIRED', resource: 'phone' },
    ]);
    expect(await subscriber.count(1)).toMatchObject([{ type: 'RESERVED', resource: 'phone', requester: 'a' }]);
  });
});

describe('RESET', () => {
  test('all reservations of the tenant were cleared', async () => {
    await holdfast.reset();
    expect(await subscriber.count(1)).toEqual([event({ type: 'RESET', requestType: 'RESET', actor: 'key:wörk "er"' })]);
  });
});

describe('TIER_LIMIT_REACHED', () => {
  test('with limitType and limit, at most once a second for each kind', async () => {
    const refused = async () => (await watch(holdfast)).close();
    await refused();
    await refused();
    await setClock(holdfast.redis, holdfast.tenant, NOW + 999);
    await refused();
    await setClock(holdfast.redis, holdfast.tenant, NOW + 1000);
    await refused();
    const common = { type: 'TIER_LIMIT_REACHED', requestType: 'CONNECT', limitType: 'EventConnections', limit: 1 };
    expect(await subscriber.count(2)).toEqual([
      event(common),
      event({ ...common, timestamp: '2048-03-01T00:00:00.007Z' }),
    ]);
    // Whatever their ids are: they are no flags of a request.
    for (let second = 2; second < 12; second++) {
      await setClock(holdfast.redis, holdfast.tenant, NOW + second * 1000);
      await refused();
    }
    await subscriber.count(12);
  });
});

describe('register, check and reads', () => {
  test('send none', async () => {
    await reserve('r');
    await holdfast.register({ name: 'x' });
    await holdfast.check({ resource: 'r' });
    await holdfast.active();
    await holdfast.delete('x');
    await reserve('end');
    expect((await subscriber.count(2)).map(({ resource }) => resource)).toEqual(['r', 'end']);
  });
});

describe('the timestamp', () => {
  test('is right on every kind of day', async () => {
    const days = [
      '1999-12-31',
      '2000-02-29',
      '2000-03-01',
      '2024-02-29',
      '2025-02-28',
      '2025-03-01',
      '2100-02-28',
      '2100-03-01',
    ];
    for (const [i, day] of days.entries()) {
      const ms = Date.parse(`${day}T01:02:03.004Z`);
      // Streams of the past have no lease in the future: one is made by hand.
      await changeHot(holdfast.redis, holdfast.tenant, { listenUntil: ms + 1 });
      await setClock(holdfast.redis, holdfast.tenant, ms);
      await reserve(`day ${day}`);
      expect((await subscriber.count(i + 1))[i]?.timestamp).toBe(new Date(ms).toISOString());
    }
  });
});
