/**
 * Requesters with very many tickets: a cancel finds all of them, in several steps if need be
 * (docs/specification.md#cancel-and-who-is-waiting).
 */

import { beforeEach, expect, test } from 'vitest';
import { holdfast, useInstance } from '../../support/instance.ts';

const BATCH = 500;
const RESERVE = '/api/v1/Reservation/reserve?pollSeconds=0';

useInstance();
beforeEach(() => holdfast.reset());

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
/** Lets requesters wait, 50 in a request: more may be refused as too much work. */
const wait = async (items: readonly { resource: string; requester: string }[]) => {
  for (let from = 0; from < items.length; from += 50) {
    const waits = items.slice(from, from + 50).map((item) => ({ ...item, ttlSeconds: 60, waitSeconds: 600 }));
    expect(await holdfast.request('POST', RESERVE, waits)).toMatchObject({ status: 200 });
  }
};
/** Lets somebody hold resources, and others wait for them. */
const busy = (names: readonly string[]) =>
  holdfast.reserve(...names.map((resource) => ({ resource, requester: 'holder' })));

test('a requester with 2,500 tickets cancels any of them, and learns of those that do not exist', async () => {
  for (const page of numbers(5)) {
    const names = numbers(BATCH).map((i) => `r${page}-${i}`);
    await busy(names);
    await wait(names.map((resource) => ({ resource, requester: 'ann' })));
  }
  const wanted = ['r0-0', 'r4-499', 'none', 'r2-250'].map((resource) => ({ resource, requester: 'ann' }));
  const { status, headers, body } = await holdfast.cancel(...wanted);
  expect([status, ...body.map((one) => one.status)]).toEqual([
    200,
    'CANCELLED',
    'CANCELLED',
    'NOT_WAITING',
    'CANCELLED',
  ]);
  expect((await holdfast.waiting()).body).toHaveLength(5 * BATCH - 3);
  // Each item costs one write, however many steps it takes.
  const left = (from: Headers) => Number(/;r=(\d+)/.exec(from.get('ratelimit') ?? '')?.[1]);
  const again = await holdfast.cancel(...wanted);
  expect(left(headers) - left(again.headers)).toBe(wanted.length);
});

test('a batch cancels 500 tickets of as many requesters', async () => {
  await busy(['hot']);
  const tickets = numbers(BATCH).map((i) => ({ resource: 'hot', requester: `r${i}` }));
  await wait(tickets);
  const { status, body } = await holdfast.cancel(...tickets);
  expect([status, body.filter((one) => one.status === 'CANCELLED').length]).toEqual([200, BATCH]);
  expect((await holdfast.waiting()).body).toEqual([]);
});

test('a batch cancels 500 tickets of one requester', async () => {
  const names = numbers(BATCH).map((i) => `r${i}`);
  await busy(names);
  const tickets = names.map((resource) => ({ resource, requester: 'ann' }));
  await wait(tickets);
  const { status, body } = await holdfast.cancel(...tickets);
  expect([status, body.filter((one) => one.status === 'CANCELLED').length]).toEqual([200, BATCH]);
});

test('the list without a filter has all tickets, whatever is registered', async () => {
  await holdfast.register({ name: 'pool', capacity: 2 });
  await busy(['a', 'pool_1']);
  await wait(['a', 'pool_1'].map((resource) => ({ resource, requester: 'ann' })));
  expect((await holdfast.waiting()).body.map(({ resources }) => resources)).toEqual([['a'], ['pool_1']]);
  expect((await holdfast.waiting('?resource=pool_1')).body).toHaveLength(1);
});

test('a ticket that several items name is cancelled by the first of them', async () => {
  await busy(['a', 'b']);
  const requests = ['a', 'b'].map((resource) => ({
    requestType: 'RESERVE',
    resource,
    requester: 'ann',
    ttlSeconds: 60,
  }));
  await holdfast.request('POST', '/api/v1/Reservation/transaction?pollSeconds=0', {
    method: 'ALL_OR_NONE',
    waitSeconds: 60,
    requests,
  });
  const { body } = await holdfast.cancel(
    ...['none', 'b', 'a', 'b'].map((resource) => ({ resource, requester: 'ann' })),
  );
  expect(body.map((one) => one.status)).toEqual(['NOT_WAITING', 'CANCELLED', 'NOT_WAITING', 'NOT_WAITING']);
});
