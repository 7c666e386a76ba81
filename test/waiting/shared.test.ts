/**
 * Requests that wait for SHARED holds, and behind them (docs/specification.md#shared-holds).
 */
import { describe, expect, test } from 'vitest';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import { one, two, useTwo } from '../support/instance.ts';
import { poll, queue, wanted } from '../support/polls.ts';

useTwo();

const SHARED = { mode: 'SHARED' } as const;

const take = async (resource: string, requester: string, more: Partial<ReserveItem> = {}) => {
  const { body } = await one.reserve({ resource, requester, ...more });
  const { status, mode, explanation, releaseToken } = body[0] ?? {};
  return { resource, requester, releaseToken: releaseToken ?? undefined, status, mode, explanation };
};
const give = ({ resource, requester, releaseToken }: Awaited<ReturnType<typeof take>>) =>
  two.unreserve({ resource, requester, releaseToken });

/** Sends a call that waits, and waits until it has its place in the queue. */
const wait = async (resource: string, requester: string, more: Partial<ReserveItem> = {}, pollSeconds = 20) => {
  const held = poll(one, [wanted(resource, requester, more)], pollSeconds);
  await queue(one, `${requester} waits for ${resource}`, (all) =>
    all.some((row) => row.requester === requester && row.resources.includes(resource)),
  );
  return held;
};
const releaseOf = async (held: ReturnType<typeof poll>) => {
  const result = await held.first;
  expect(result?.status).toBe('ACQUIRED');
  return two.unreserve({
    resource: result?.resource ?? '',
    requester: result?.requester ?? '',
    releaseToken: result?.releaseToken ?? undefined,
  });
};

describe('SHARED requests that wait', () => {
  test('and stand together are granted together', async () => {
    const writer = await take('book', 'w');
    const readers = [];
    for (let i = 0; i < 5; i += 1) readers.push(await wait('book', `r${i}`, SHARED));
    await give(writer);
    const results = await Promise.all(readers.map(({ first }) => first));
    expect(results.map((result) => [result?.status, result?.mode])).toEqual(readers.map(() => ['ACQUIRED', 'SHARED']));
    expect((await one.check({ resource: 'book' })).body).toMatchObject([{ holders: 5, requester: null, waiting: 0 }]);
  });

  test('count only against EXCLUSIVE ones: those behind a writer wait for it, whatever is before', async () => {
    const writer = await take('paper', 'w0');
    const before = [await wait('paper', 'r1', SHARED), await wait('paper', 'r2', SHARED)];
    const middle = await wait('paper', 'w1');
    const after = [await wait('paper', 'r3', SHARED), await wait('paper', 'r4', SHARED)];
    await give(writer);
    for (const reader of before) expect(await reader.first).toMatchObject({ status: 'ACQUIRED', mode: 'SHARED' });
    expect([middle, ...after].map(({ isAnswered }) => isAnswered)).toEqual([false, false, false]);
    for (const reader of before) await releaseOf(reader);
    expect(await middle.first).toMatchObject({ status: 'ACQUIRED' });
    expect(after.map(({ isAnswered }) => isAnswered)).toEqual([false, false]);
    await releaseOf(middle);
    for (const reader of after) expect(await reader.first).toMatchObject({ status: 'ACQUIRED', mode: 'SHARED' });
  });

  test('keep what is free from a writer that comes later, and not from readers', async () => {
    await take('pen', 'other');
    const both = poll(one, [wanted('ink', 'late', SHARED)]);
    expect(await both.first).toMatchObject({ status: 'ACQUIRED' });
    await releaseOf(both);
    // It lacks both, and waits for the pen; nobody holds the ink.
    const transaction = one.request('POST', '/api/v1/Reservation/transaction?pollSeconds=20', {
      method: 'ALL_OR_NONE',
      waitSeconds: 60,
      requests: ['ink', 'pen'].map((resource) => ({
        requestType: 'RESERVE',
        requester: 'both',
        resource,
        ttlSeconds: 60,
        ...SHARED,
      })),
    });
    await queue(one, 'the transaction waits', (all) => all.some(({ requester }) => requester === 'both'));
    expect(await take('ink', 'w')).toMatchObject({ explanation: 'NOT_AVAILABLE: kept for a waiting request' });
    const reader = await take('ink', 'r', SHARED);
    expect(reader).toMatchObject({ status: 'ACQUIRED' });
    await give(reader);
    await one.cancel({ resource: 'pen', requester: 'both' });
    expect((await transaction).body).toMatchObject({ status: 'ROLLED_BACK' });
  });
});

describe('a reader that comes after a writer whose turn has come', () => {
  test('waits behind it, and a try is refused', async () => {
    const first = await take('map', 'r1', SHARED);
    const writer = await wait('map', 'w');
    expect(await take('map', 'r2', SHARED)).toMatchObject({
      status: 'NOT_AVAILABLE',
      explanation: 'NOT_AVAILABLE: kept for a waiting request',
    });
    const reader = await wait('map', 'r3', SHARED);
    await give(first);
    expect(await writer.first).toMatchObject({ status: 'ACQUIRED' });
    expect(reader.isAnswered).toBe(false);
    await releaseOf(writer);
    expect(await reader.first).toMatchObject({ status: 'ACQUIRED', mode: 'SHARED' });
  });

  test('joins the other readers once the writer has given up', async () => {
    await take('chart', 'r1', SHARED);
    const writer = await wait('chart', 'w');
    const readers = [await wait('chart', 'r2', SHARED), await wait('chart', 'r3', SHARED)];
    await two.cancel({ resource: 'chart', requester: 'w' });
    expect(await writer.first).toMatchObject({ explanation: 'NOT_AVAILABLE: cancelled' });
    for (const reader of readers) expect(await reader.first).toMatchObject({ status: 'ACQUIRED' });
    expect((await one.check({ resource: 'chart' })).body).toMatchObject([{ holders: 3 }]);
  });

  test('is not held back if it hands its hold on in one transaction', async () => {
    const a = await take('atlas', 'a', SHARED);
    await take('atlas', 'b', SHARED);
    const writer = await wait('atlas', 'w');
    const { body } = await one.transaction(
      'ALL_OR_NONE',
      { requestType: 'UNRESERVE', resource: 'atlas', requester: 'a', releaseToken: a.releaseToken },
      { requestType: 'RESERVE', resource: 'atlas', requester: 'c', ...SHARED },
    );
    expect(body.results.map(({ status }) => status)).toEqual(['RELINQUISHED', 'ACQUIRED']);
    expect((await one.check({ resource: 'atlas' })).body).toMatchObject([{ holders: 2, waiting: 1 }]);
    writer.hangUp();
  });

  test('nothing is kept from a reader for whom the writer waits', async () => {
    const a = await take('plan', 'a', SHARED);
    const lamp = await take('lamp', 'other', SHARED);
    const writer = await wait('plan', 'w');
    const behind = await wait('lamp', 'v');
    // Somebody who must finish to make room can finish.
    expect(await take('lamp', 'x', SHARED)).toMatchObject({ status: 'NOT_AVAILABLE' });
    expect(await take('lamp', 'a', SHARED)).toMatchObject({ status: 'ACQUIRED', mode: 'SHARED' });
    await give(a);
    await releaseOf(writer);
    behind.hangUp();
    await give(lamp);
  });
});

describe('the request of a ticket', () => {
  test('includes its mode: another mode is another request', async () => {
    const owner = await take('door', 'o');
    const shared = await wait('door', 'a', SHARED);
    const exclusive = poll(one, [wanted('door', 'a')]);
    await queue(one, 'both wait', (all) => all.filter(({ resources }) => resources.includes('door')).length === 2);
    const again = poll(two, [wanted('door', 'a', SHARED)], 0);
    expect(await again.first).toMatchObject({ status: 'WAITING', waiting: { ahead: 0 } });
    expect((await one.waiting('?resource=door')).body).toHaveLength(2);
    // That call detached the ticket, whose own call goes on.
    await give(owner);
    expect(await shared.first).toMatchObject({ status: 'ACQUIRED', mode: 'SHARED' });
    expect(exclusive.isAnswered).toBe(false);
    exclusive.hangUp();
  });

  test('that can never be met is refused at once, without a ticket', async () => {
    await one.register({ name: 'low', treePath: 'high' });
    await take('gate', 'a', SHARED);
    await take('high', 'a', SHARED);
    expect(await poll(one, [wanted('gate', 'a')]).first).toMatchObject({
      status: 'ALREADY_HELD',
      explanation: 'ALREADY_HELD: you hold it SHARED; release it first',
    });
    expect(await poll(one, [wanted('low', 'a')]).first).toMatchObject({
      explanation: 'NOT_AVAILABLE: ancestor high is at capacity',
    });
    const item = { requestType: 'RESERVE', requester: 'b', resource: 'wall', ttlSeconds: 60 };
    await take('wall', 'o');
    const twice = await one.request('POST', '/api/v1/Reservation/transaction', {
      method: 'ALL_OR_NONE',
      waitSeconds: 60,
      requests: [{ ...item, ...SHARED }, item],
    });
    expect(twice.body).toMatchObject({ status: 'ROLLED_BACK' });
    expect((await one.waiting('?requester=b')).body).toEqual([]);
  });

  test('ends NOT_VALID when its resource becomes a pool', async () => {
    await take('cart', 'o');
    const reader = await wait('cart', 'r', SHARED);
    await one.register({ name: 'cart', capacity: 3 });
    expect(await reader.first).toMatchObject({ status: 'NOT_VALID' });
  });

  test('is met by what its requester holds EXCLUSIVE', async () => {
    await take('seat', 'a');
    expect(await poll(one, [wanted('seat', 'a', SHARED)]).first).toMatchObject({
      status: 'ALREADY_HAD',
      mode: 'EXCLUSIVE',
    });
  });
});
