/**
 * Long polls: what a caller gets, and when (docs/specification.md#waiting).
 */
import { describe, expect, test } from 'vitest';
import type { TransactionResult } from '../../src/contract/reservations.ts';
import { one, two, useTwo } from '../support/instance.ts';
import { poll, queue, requesters, wanted } from '../support/polls.ts';

useTwo();

const take = async (resource: string, requester: string) => {
  const { body } = await one.reserve({ resource, requester });
  return { resource, requester, releaseToken: body[0]?.releaseToken ?? undefined };
};

describe('a request that waits', () => {
  test('is answered when its turn has come, in the order of arrival, at any instance', async () => {
    const owner = await take('printer', 'owner');
    const waiters = [];
    for (const [i, instance] of [one, two, one, two].entries()) {
      waiters.push(poll(instance, [wanted('printer', `w${i}`)]));
      await queue(one, `w${i} waits`, ({ length }) => length === i + 1);
    }
    let held = owner;
    for (const [i, waiter] of waiters.entries()) {
      expect(waiter.isAnswered).toBe(false);
      await two.unreserve(held);
      const result = await waiter.first;
      expect(result).toMatchObject({ status: 'ACQUIRED', requester: `w${i}` });
      expect(result?.waitedMs).toBeGreaterThanOrEqual(0);
      held = { resource: 'printer', requester: `w${i}`, releaseToken: result?.releaseToken ?? undefined };
    }
    expect((await one.waiting()).body).toEqual([]);
  });

  test('is answered WAITING when pollSeconds have passed, and keeps its turn', async () => {
    const owner = await take('slow', 'owner');
    const began = performance.now();
    const { body, headers } = await poll(one, [wanted('slow', 'first')], 1).response;
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(body).toMatchObject([
      { status: 'WAITING', explanation: 'WAITING: you are next', waiting: { waitsFor: 'slow' } },
    ]);
    expect(headers.get('holdfast-waiting')).toBe('true');
    const second = poll(one, [wanted('slow', 'second')]);
    await queue(one, 'both wait', ({ length }) => length === 2);
    const again = poll(two, [wanted('slow', 'first')]);
    await one.unreserve(owner);
    expect(await again.first).toMatchObject({ status: 'ACQUIRED' });
    second.hangUp();
  });

  test('is answered NOT_AVAILABLE when it is cancelled, and when the tenant is reset', async () => {
    await take('gone', 'owner');
    const waiters = [poll(one, [wanted('gone', 'a')]), poll(two, [wanted('gone', 'b')])];
    await queue(one, 'both wait', (all) => requesters(all).includes('a') && requesters(all).includes('b'));
    expect((await two.cancel({ resource: 'gone', requester: 'a' })).body).toMatchObject([{ status: 'CANCELLED' }]);
    expect(await waiters[0]?.first).toMatchObject({ explanation: 'NOT_AVAILABLE: cancelled' });
    expect(waiters[1]?.isAnswered).toBe(false);
    await one.reset();
    expect(await waiters[1]?.first).toMatchObject({ status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE: reset' });
  });

  test('is granted a lease that ends, when it ends', async () => {
    const owner = await take('leased', 'owner');
    const waiter = poll(two, [wanted('leased', 'next', { ttlSeconds: 60 })]);
    await queue(one, 'it waits', (all) => requesters(all).includes('next'));
    const [lease] = (await one.renew({ ...owner, ttlSeconds: 1 })).body;
    const endsAt = Date.parse(lease?.expiresAt ?? '');
    // How much later than it should a timer of this process fires then: instances are late as well.
    const late = new Promise<number>((resolve) => {
      setTimeout(() => resolve(Date.now() - endsAt), endsAt - Date.now());
    });
    const result = await waiter.first;
    expect(result).toMatchObject({ status: 'ACQUIRED' });
    const grantedAt = Date.parse(result?.expiresAt ?? '') - 60_000;
    // Not by the sweep, and not by a beat.
    expect(grantedAt - endsAt).toBeLessThan(900 + (await late));
  });

  test('is refused when waitSeconds have passed', async () => {
    await take('long', 'owner');
    const result = await poll(one, [wanted('long', 'late', { waitSeconds: 1 })]).first;
    expect(result).toMatchObject({ status: 'ALREADY_HELD' });
    expect((await one.waiting('?resource=long')).body).toEqual([]);
  });

  test('with several items is answered as soon as one is acquired', async () => {
    const owners = [await take('left', 'owner'), await take('right', 'owner')];
    const both = poll(one, [wanted('left', 'both'), wanted('right', 'both')]);
    await queue(one, 'both items wait', (all) => all.filter(({ requester }) => requester === 'both').length === 2);
    await two.unreserve(...owners.slice(1));
    const { body } = await both.response;
    expect(body.map(({ status }) => status)).toEqual(['WAITING', 'ACQUIRED']);
    await two.cancel({ resource: 'left', requester: 'both' });
  });

  test('is answered at all its calls when one of them, of a higher priority, gets it at once', async () => {
    const held = await take('taken', 'holder');
    const wish = { requestType: 'RESERVE', requester: 'both', ttlSeconds: 60 };
    const requests = ['kept', 'taken'].map((resource) => ({ ...wish, resource }));
    const whole = { method: 'ALL_OR_NONE', requests, waitSeconds: 60 };
    const ticket = one.request<TransactionResult>('POST', '/api/v1/Reservation/transaction', whole);
    await queue(one, 'it keeps a name', (all) => requesters(all).includes('both'));
    const earlier = [poll(one, [wanted('kept', 'urgent')]), poll(two, [wanted('kept', 'urgent')])];
    await queue(one, 'another waits', (all) => requesters(all).includes('urgent'));
    const higher = poll(two, [wanted('kept', 'urgent', { priority: 1 })]);
    expect(await higher.first).toMatchObject({ status: 'ACQUIRED' });
    for (const { first } of earlier) expect(await first).toMatchObject({ status: 'ALREADY_HAD' });
    await one.cancel({ resource: 'kept', requester: 'both' });
    expect((await ticket).body).toMatchObject({ status: 'ROLLED_BACK' });
    await one.unreserve(held);
  });

  test('does not wait for anything if it is a detached one', async () => {
    await take('bot', 'owner');
    const { body } = await poll(one, [wanted('bot', 'detached')], 0).response;
    expect(body).toMatchObject([{ status: 'WAITING' }]);
    expect((await one.waiting('?resource=bot')).body).toMatchObject([{ attended: false }]);
  });
});

describe('what is free, but kept for a request that waits', () => {
  const STRANGERS = 120;
  const definitions = [
    { name: 'pool', capacity: 2 },
    { name: 'gate' },
    { name: 'lift', blocks: ['gate'] },
    { name: 'hall' },
    { name: 'room0', treePath: 'hall' },
    { name: 'room1', treePath: 'hall' },
  ];

  test.each([
    ['a name', ['key'], 'key'],
    ['a slot by its name', ['pool_1'], 'pool_1'],
    ['all slots of a pool', ['pool_0', 'pool_1'], 'pool'],
    ['a blocker', ['lift'], 'gate'],
    ['an ancestor', ['room0'], 'room1'],
  ])('%s is given to nobody else, however many try', async (_, kept, tried) => {
    await one.reset();
    await one.register(...definitions);
    const held = await take('busy', 'holder');
    const wish = { requestType: 'RESERVE', requester: 'waiter', ttlSeconds: 60 };
    const requests = [...kept, 'busy'].map((resource) => ({ ...wish, resource }));
    const whole = { method: 'ALL_OR_NONE', requests, waitSeconds: 60 };
    const ticket = two.request<TransactionResult>('POST', '/api/v1/Reservation/transaction', whole);
    ticket.catch(() => {});
    await queue(one, 'it waits', ({ length }) => length === 1);
    for (let i = 0; i < STRANGERS; i += 10) {
      const items = Array.from({ length: 10 }, (_, n) => ({ resource: tried, requester: `s${i + n}`, ttlSeconds: 60 }));
      const { body } = await (i % 20 === 0 ? one : two).reserve(...items);
      expect(body.map(({ explanation }) => explanation)).toEqual(
        items.map(() => 'NOT_AVAILABLE: kept for a waiting request'),
      );
    }
    await one.unreserve(held);
    expect((await ticket).body.status).toBe('APPLIED');
  });
});
