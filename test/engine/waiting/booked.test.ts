/**
 * Waiting for resources that have bookings: whose turn it is, and which slots are kept
 * (docs/specification.md#leases-end-in-time).
 */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReserveItem, ReserveResult } from '../../../src/contract/reservations.ts';
import { book as bookWith, cancelBookings } from '../../../src/engine/bookings.ts';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { transaction as transactWith } from '../../../src/engine/reservations/transaction.ts';
import { beginSession } from '../../../src/engine/sessions.ts';
import { beat } from '../../../src/engine/waiting/beat.ts';
import { setClock } from '../../support/clock.ts';
import { reserve, unreserve } from '../../support/verbs.ts';
import { CALL, queue, register, running, useWaitingEngine } from '../../support/waitingEngine.ts';

const START = Date.UTC(2050, 0, 1);
/** A grant is claimed within 10 s, so that its slot is needed for the lease and 10 s. */
const WAIT = { waitSeconds: 600 };
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();

useWaitingEngine(START);
beforeEach(() => register({ name: 'phone', bookable: true }, { name: 'p', capacity: 3, bookable: true }));

/** Books a slot for an hour. */
async function book(resource: string, startS: number, requester = 'boss'): Promise<string> {
  const start = START / 1000 + startS;
  const bookings = [{ resource, requester, start, end: start + 3600 }];
  const { result } = await bookWith(running.engine, running.credential, { bookings, skipConflicts: false });
  expect(result).toMatchObject({ status: 'BOOKED' });
  return result.bookings[0]?.booking ?? '';
}
const cancel = (booking: string) => cancelBookings(running.engine, running.credential, { booking }, new Map());
const later = async (ms: number) => {
  await setClock(running.engine.redis, running.credential.tenant, START + ms);
  await beat(running.engine, running.credential.tenant, CALL.instance);
};

type Fields = Partial<ReserveItem>;
/** Tries to reserve. */
async function take(requester: string, resource: string, fields: Fields = { ttlSeconds: 10 }) {
  const [result] = await reserve(running.engine, running.credential, [{ resource, requester, ...fields }]);
  return result;
}
const slotOf = (result?: ReserveResult) => Object.values(result?.acquiredSlots ?? {})[0];
/** Reserves, or waits. */
async function askFor(requester: string, resource: string, ttlSeconds: number, fields: Fields = {}) {
  const item = { resource, requester, ttlSeconds, ...WAIT, ...fields };
  return (await reserveWith(running.engine, running.credential, [item], CALL)).result[0];
}
/** Reserves all of these, or waits for all of them. */
async function askForAll(requester: string, resources: string[], ttlSeconds: number, fields: { mode?: 'SHARED' } = {}) {
  const items = resources.map((name) => {
    const which = name === 'p x2' ? { resource: 'p', count: 2 } : { resource: name };
    return { requestType: 'RESERVE' as const, requester, ttlSeconds, ...which, ...fields };
  });
  const { engine, credential } = running;
  return (await transactWith(engine, credential, 'ALL_OR_NONE', items, { wait: WAIT, call: CALL })).result;
}
const sessionOf = async (requester: string) =>
  (await beginSession(running.engine, running.credential, { requester, ttlSeconds: 60 })).result.session;
const release = (held?: ReserveResult) => held && unreserve(running.engine, running.credential, [held]);

const KEPT = { status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE: kept for a waiting request' };
const isKept = (result?: ReserveResult) => expect(result).toMatchObject(KEPT);

describe('a request whose lease would run into a booking', () => {
  test('waits, is told from when on it is booked, and shorter ones pass', async () => {
    const held = await take('x', 'phone', { ttlSeconds: 60 });
    await book('phone', 100);
    expect(await askFor('ann', 'phone', 91)).toMatchObject({
      status: 'WAITING',
      explanation: `WAITING: booked from ${at(100)}`,
      bookedFrom: at(100),
      waiting: { waitsFor: 'phone' },
    });
    expect(await askFor('bob', 'phone', 90)).toMatchObject({ explanation: 'WAITING: 1 before you' });
    await release(held);
    expect(await queue()).toEqual(['ann: phone']);
    expect(await askFor('bob', 'phone', 90)).toMatchObject({ status: 'ACQUIRED' });
  });

  test('keeps nothing, also of what it lacks elsewhere', async () => {
    await take('x', 'phone', { ttlSeconds: 60 });
    await book('phone', 100);
    expect(await askForAll('ann', ['phone', 'door'], 100)).toMatchObject({ status: 'WAITING' });
    expect(await take('bob', 'door')).toMatchObject({ status: 'ACQUIRED' });
  });

  test('has its turn only if the slots that fit it are enough for it and those ahead', async () => {
    for (const requester of ['x', 'y', 'z']) await take(requester, 'p', { ttlSeconds: 60 });
    for (const slot of ['p_0', 'p_1']) await book(slot, 100);
    await askForAll('one', ['p', 'a'], 200);
    await askForAll('two', ['p', 'b'], 200);
    await askForAll('three', ['p', 'c'], 30);
    isKept(await take('w', 'a'));
    // Only p_2 fits both, and the first has its turn there.
    expect(await take('w', 'b')).toMatchObject({ status: 'ACQUIRED' });
    isKept(await take('w', 'c'));
  });
});

describe('a free slot of a pool', () => {
  test('is kept for a next ticket only if it fits that, and others behind get the others', async () => {
    await take('x', 'door', {});
    await book('p_0', 50);
    await askForAll('ann', ['p', 'door'], 60);
    expect(slotOf(await take('bob', 'p'))).toBe('p_0');
    expect(slotOf(await take('carl', 'p'))).toBe('p_2');
    isKept(await take('dora', 'p'));
    isKept(await take('dora', 'p_1'));
  });

  test.each([
    ['when another one will fit it', ['p_0', 'p_1']],
    ['when none fits it any more', ['p_0', 'p_1', 'p_2']],
  ])('is kept no longer once it ceases to fit, %s', async (_, slots) => {
    await take('x', 'door', {});
    await take('x', 'p_2', { ttlSeconds: 70 });
    await take('y', 'p_1', { ttlSeconds: 70 });
    for (const slot of slots) await book(slot, 75);
    await askForAll('ann', ['p', 'door'], 60);
    isKept(await take('bob', 'p'));
    expect(await askFor('bob', 'p', 30)).toMatchObject({ status: 'WAITING' });
    await later(5000);
    expect(await queue()).toEqual(['ann: p door', 'bob: p']);
    await later(5001);
    expect(await queue()).toEqual(['ann: p door']);
    expect(slotOf(await askFor('bob', 'p', 30))).toBe('p_0');
  });

  test('is found for those behind many whom it does not fit', async () => {
    const held = await take('x', 'p', { ttlSeconds: 60 });
    for (const slot of ['p_0', 'p_1', 'p_2']) await book(slot, 100);
    for (let i = 0; i < 70; i++) await askFor(`long${i}`, 'p', 101);
    await askFor('y', 'p', 60);
    await askFor('z', 'p', 60);
    expect(await askFor('short', 'p', 50)).toMatchObject({ status: 'WAITING' });
    await release(held);
    expect(await queue()).not.toContain('short: p');
    expect(slotOf(await askFor('short', 'p', 50))).toBe('p_0');
  });
});

test('a slot of a pool is kept for who names it, whatever its name begins with', async () => {
  await register({ name: '#p', capacity: 2, bookable: true });
  await take('x', 'held');
  await askForAll('ann', ['#p_1', 'held'], 10);
  expect(slotOf(await take('bob', '#p'))).toBe('#p_0');
  isKept(await take('cat', '#p'));
});

test('a slot by name and slots of its pool count separately for a turn', async () => {
  await take('x', 'held');
  await askForAll('ann', ['p x2', 'p_1', 'held'], 10);
  await askForAll('bob', ['p', 'other'], 10);
  expect(await take('cat', 'other')).toMatchObject({ status: 'ACQUIRED' });
});

describe('a requester', () => {
  beforeEach(async () => {
    await take('x', 'held');
  });

  test('gets EXCLUSIVE what is kept for its own ticket, which waits for it SHARED', async () => {
    await askForAll('ann', ['phone', 'held'], 10, { mode: 'SHARED' });
    isKept(await take('bob', 'phone'));
    expect(await take('ann', 'phone')).toMatchObject({ status: 'ACQUIRED' });
  });

  test('gets a slot of a pool that its own ticket names only if there is no other', async () => {
    await askForAll('ann', ['p_0', 'held'], 10);
    const first = await take('ann', 'p');
    expect(slotOf(first)).toBe('p_1');
    await release(first);
    for (const one of ['p_1', 'p_2']) await take('x', one);
    isKept(await take('bob', 'p'));
    expect(slotOf(await take('ann', 'p'))).toBe('p_0');
  });

  test('has its lease cut to no booking of a slot that it does not get', async () => {
    await book('p_0', 15);
    await take('x', 'p_2');
    await askForAll('ann', ['p_1', 'held'], 10);
    expect(await take('ann', 'p', { ttlSeconds: 20 })).toMatchObject({
      acquiredSlots: { p: 'p_1' },
      expiresAt: at(20),
    });
  });

  test('joins a SHARED hold if what its transaction releases is enough for those ahead', async () => {
    const held = await take('bob', 'p', { ttlSeconds: 10, count: 2 });
    await take('x', 'p_2', { ttlSeconds: 10, mode: 'SHARED' });
    await askForAll('ann', ['p_0', 'held'], 10);
    const { engine, credential } = running;
    const items = [
      { requestType: 'UNRESERVE' as const, resource: 'p', requester: 'bob', releaseToken: held?.releaseToken },
      { requestType: 'RESERVE' as const, resource: 'p_2', requester: 'cat', ttlSeconds: 10, mode: 'SHARED' as const },
    ];
    expect((await transactWith(engine, credential, 'ALL_OR_NONE', items)).result).toMatchObject({ status: 'APPLIED' });
  });
});

describe('a booking', () => {
  test('that is cancelled hands its slot to those whom it did not fit', async () => {
    const held = await take('x', 'phone', { ttlSeconds: 60 });
    const booking = await book('phone', 100);
    expect(await askFor('ann', 'phone', 200)).toMatchObject({ explanation: `WAITING: booked from ${at(100)}` });
    await release(held);
    expect(await queue()).toEqual(['ann: phone']);
    await cancel(booking);
    expect(await queue()).toEqual([]);
    expect(await askFor('ann', 'phone', 200)).toMatchObject({ status: 'ACQUIRED' });
  });

  test('that is made ends what is kept for those whom its slot fits no longer', async () => {
    await take('x', 'door', {});
    await askForAll('ann', ['phone', 'door'], 200);
    expect(await askFor('bob', 'phone', 30)).toMatchObject({ explanation: 'WAITING: 1 before you' });
    await book('phone', 100);
    expect(await queue()).toEqual(['ann: phone door']);
    expect(await askFor('bob', 'phone', 30)).toMatchObject({ status: 'ACQUIRED' });
  });

  test('that is made while a ticket waits moves the moment at which its slot ceases to fit', async () => {
    await take('x', 'door', {});
    await askForAll('ann', ['phone', 'door'], 60);
    expect(await askFor('bob', 'phone', 30)).toMatchObject({ status: 'WAITING' });
    await book('phone', 75);
    expect(await queue()).toEqual(['ann: phone door', 'bob: phone']);
    await later(5001);
    expect(await queue()).toEqual(['ann: phone door']);
  });

  test('of its requester is in the way of a session only', async () => {
    const held = await take('x', 'phone', { ttlSeconds: 60 });
    await book('phone', 100, 'ann');
    expect(await askFor('ann', 'phone', 200)).toMatchObject({ explanation: 'WAITING: you are next' });
    await release(held);
    expect(await askFor('ann', 'phone', 200)).toMatchObject({ status: 'ACQUIRED' });
  });
});

describe('the lease of a grant', () => {
  const grant = async () => {
    const held = await take('x', 'phone', { ttlSeconds: 60 });
    await book('phone', 100);
    await askFor('ann', 'phone', 60);
    await release(held);
  };

  test('may be longer when it is claimed, if it ends before the next booking', async () => {
    await grant();
    const session = await sessionOf('ann');
    for (const lease of [{ ttlSeconds: 101 }, { ttlSeconds: undefined, session }])
      expect(await askFor('ann', 'phone', 60, lease)).toMatchObject({
        status: 'NOT_AVAILABLE',
        explanation: `NOT_AVAILABLE: booked from ${at(100)}`,
      });
    expect(await askFor('ann', 'phone', 100)).toMatchObject({ status: 'ACQUIRED', expiresAt: at(100) });
  });

  test('is cut to the next booking if the request allows that, also when it is claimed late', async () => {
    const held = await take('x', 'phone', { ttlSeconds: 60 });
    await book('phone', 100);
    for (const minTtlSeconds of [91, 90])
      expect(await askFor(`ann${minTtlSeconds}`, 'phone', 600, { minTtlSeconds })).toMatchObject({ status: 'WAITING' });
    await release(held);
    expect(await queue()).toEqual(['ann91: phone']);
    await later(4000);
    expect(await askFor('ann90', 'phone', 600, { minTtlSeconds: 90 })).toMatchObject({
      status: 'ACQUIRED',
      expiresAt: at(100),
      ttlSeconds: 96,
    });
  });

  test('is that of the whole grant: the slots of a pool and of other items', async () => {
    const held = await take('x', 'p', { ttlSeconds: 60 });
    await take('y', 'p', { ttlSeconds: 60 });
    await book('p_0', 100);
    const wanted = { count: 2, minTtlSeconds: 90 };
    expect(await askFor('ann', 'p', 600, wanted)).toMatchObject({ status: 'WAITING' });
    await release(held);
    expect(await askFor('ann', 'p', 600, wanted)).toMatchObject({ slots: ['p_0', 'p_2'], expiresAt: at(100) });
  });

  test('and the time to claim it conflict with bookings', async () => {
    const held = await take('x', 'phone', { ttlSeconds: 60 });
    await askFor('ann', 'phone', 60);
    await release(held);
    const start = START / 1000 + 69;
    const bookings = [{ resource: 'phone', requester: 'boss', start, end: start + 3600 }];
    expect(
      (await bookWith(running.engine, running.credential, { bookings, skipConflicts: false })).result,
    ).toMatchObject({ status: 'CONFLICT', bookings: [{ conflict: { requester: 'ann', until: at(70) } }] });
    await book('phone', 70);
  });
});
