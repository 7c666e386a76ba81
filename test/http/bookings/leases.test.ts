/**
 * Leases end before the bookings of others begin (docs/specification.md#leases-end-in-time).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CheckResult } from '../../../src/contract/check.ts';
import type { RenewResult } from '../../../src/contract/renewals.ts';
import type { ReserveResult, TransactionResult } from '../../../src/contract/reservations.ts';
import { book as bookWith } from '../../../src/engine/bookings.ts';
import { STEERED_CLOCK, setClock } from '../../support/clock.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';
import { begin } from '../../support/sessions.ts';

// Ahead of the real clock, by which other tests' instances end leases. Each test has a day of its own: what others have
// left is over then.
let day = Date.UTC(2050, 0, 1);
const at = (seconds: number) => new Date(day + seconds * 1000).toISOString();
const API = '/api/v1/Reservation';

const key = makeConfiguredKey(makeTenant());
let holdfast: Instance;
let running: RunningEngine;
beforeAll(async () => {
  running = await startEngine(key.tenant, undefined, undefined, {}, key);
  holdfast = await startInstance({ keys: [key], includes: { 'frame/now': STEERED_CLOCK } });
});
afterAll(async () => {
  running.stop();
  await holdfast.stop();
});

let round = 0;
let phone = '';
let pool = '';
beforeEach(async () => {
  day += 86_400_000;
  await goTo(0);
  await holdfast.reset();
  [phone, pool] = [`phone-${round}`, `pool-${round++}`];
  await holdfast.register({ name: phone, bookable: true }, { name: pool, capacity: 4, bookable: true });
});

const goTo = (seconds: number) => setClock(holdfast.redis, holdfast.tenant, day + seconds * 1000);

/** Books a resource, or a slot, from so many seconds after the start of the test on. */
async function book(resource: string, start: number, requester = 'bo', seconds = 60): Promise<void> {
  const item = { resource, requester, start: day / 1000 + start, end: day / 1000 + start + seconds, note: 'demo' };
  const { result } = await bookWith(running.engine, running.credential, { bookings: [item], skipConflicts: false });
  expect(result).toMatchObject({ status: 'BOOKED' });
}

const post = async <Result>(call: string, body: unknown): Promise<Result> =>
  (await holdfast.request<Result>('POST', `${API}/${call}`, body)).body;
const reserve = async (fields: object, query = '') =>
  (await post<ReserveResult[]>(`reserve${query}`, [{ resource: phone, requester: 'ann', ...fields }]))[0];
const renew = async (fields: object) =>
  (await post<RenewResult[]>('renew', [{ resource: phone, requester: 'ann', ...fields }]))[0];
const check = async (fields: object) => (await post<CheckResult[]>('check', [{ resource: phone, ...fields }]))[0];
const transact = (method: string, ...items: object[]) => {
  const requests = items.map((one) => ({ requestType: 'RESERVE', resource: phone, requester: 'ann', ...one }));
  return post<TransactionResult>('transaction', { method, requests });
};

const bookedFrom = (seconds: number) => ({
  status: 'NOT_AVAILABLE',
  explanation: `NOT_AVAILABLE: booked from ${at(seconds)}`,
  bookedFrom: at(seconds),
});

describe('a lease ends before the bookings of others begin', () => {
  test('on one slot', async () => {
    await book(phone, 60);
    expect(await reserve({ ttlSeconds: 61 })).toEqual({ ...(await reserve({ ttlSeconds: 62 })), ...bookedFrom(60) });
    const had = await reserve({ ttlSeconds: 60 });
    expect(had).toMatchObject({ status: 'ACQUIRED', expiresAt: at(60) });
    expect(had).not.toHaveProperty('ttlSeconds');
    expect(await reserve({ requester: 'x', ttlSeconds: 1 })).toMatchObject({ explanation: 'ALREADY_HELD' });
  });

  test('one’s own bookings do not count, the next of another does', async () => {
    await book(phone, 60, 'ann');
    await book(phone, 200);
    expect(await reserve({ ttlSeconds: 201 })).toMatchObject(bookedFrom(200));
    expect(await reserve({ ttlSeconds: 200 })).toMatchObject({ status: 'ACQUIRED' });
  });

  test('a pool gives the lowest slot that fits', async () => {
    for (const [i, start] of [60, 70, 65, 50].entries()) await book(`${pool}_${i}`, start);
    expect(await reserve({ resource: pool, ttlSeconds: 71 })).toMatchObject(bookedFrom(70));
    expect(await reserve({ resource: pool, ttlSeconds: 65 })).toMatchObject({ acquiredSlots: { [pool]: `${pool}_1` } });
    expect(await reserve({ resource: pool, ttlSeconds: 65, requester: 'x' })).toMatchObject({
      acquiredSlots: { [pool]: `${pool}_2` },
    });
    expect(await reserve({ resource: `${pool}_0`, ttlSeconds: 61, requester: 'x' })).toMatchObject(bookedFrom(60));
  });

  test('of several slots, all have to fit', async () => {
    await book(`${pool}_0`, 60);
    await book(`${pool}_2`, 70);
    expect(await reserve({ resource: pool, ttlSeconds: 71, count: 3 })).toMatchObject(bookedFrom(70));
    expect(await reserve({ resource: pool, ttlSeconds: 71, count: 4 })).toMatchObject(bookedFrom(60));
    const slots = [`${pool}_1`, `${pool}_3`];
    expect(await reserve({ resource: pool, ttlSeconds: 71, count: 2 })).toMatchObject({ slots });
    expect(await reserve({ resource: pool, ttlSeconds: 9, count: 3, requester: 'x' })).toMatchObject({
      explanation: 'NOT_AVAILABLE',
    });
  });

  test('of an endless hold, a session or a SHARED hold, one’s own bookings count too', async () => {
    await book(phone, 60, 'ann');
    const { session } = await begin(holdfast, 'ann', 30);
    expect(await reserve({})).toMatchObject(bookedFrom(60));
    expect(await reserve({ session })).toMatchObject(bookedFrom(60));
    expect(await reserve({ mode: 'SHARED', ttlSeconds: 61 })).toMatchObject(bookedFrom(60));
    expect(await reserve({ mode: 'SHARED', ttlSeconds: 60 })).toMatchObject({ status: 'ACQUIRED' });
    expect(await reserve({ mode: 'SHARED', ttlSeconds: 61, requester: 'x' })).toMatchObject(bookedFrom(60));
    expect(await reserve({ mode: 'SHARED', ttlSeconds: 59, requester: 'x' })).toMatchObject({ status: 'ACQUIRED' });
  });

  test('a match takes what fits; else, if it may be cut, what is booked last', async () => {
    const labels = { set: phone };
    const names = [0, 1, 2].map((i) => `${phone}-${i}`);
    await holdfast.register(...names.map((name) => ({ name, labels, bookable: true })));
    for (const [i, start] of [60, 70, 65].entries()) await book(`${phone}-${i}`, start);
    const wanted = { resource: undefined, match: labels };
    expect(await reserve({ ...wanted, ttlSeconds: 71 })).toMatchObject(bookedFrom(70));
    const items = ['p', 'q', 'r', 's'].map((requester) => ({
      requester,
      match: labels,
      ttlSeconds: 65,
      minTtlSeconds: 9,
    }));
    expect(await post('reserve', items)).toMatchObject([
      { resource: `${phone}-1`, expiresAt: at(65) },
      { resource: `${phone}-2`, expiresAt: at(65) },
      { resource: `${phone}-0`, ttlSeconds: 60 },
      { explanation: 'NOT_AVAILABLE' },
    ]);
  });

  test('in a transaction, in a dry run and in a batch', async () => {
    await book(phone, 60);
    const one = { resource: pool, ttlSeconds: 5 };
    expect(await transact('ALL_OR_NONE', one, { ttlSeconds: 61 })).toMatchObject({
      status: 'ROLLED_BACK',
      results: [{ explanation: 'ROLLED_BACK' }, bookedFrom(60)],
    });
    expect(await transact('FIRST', { ttlSeconds: 61 }, one)).toMatchObject({
      results: [bookedFrom(60), { status: 'ACQUIRED' }],
    });
    expect(await reserve({ ttlSeconds: 61 }, '?dryRun=true')).toMatchObject(bookedFrom(60));
    expect(await reserve({ ttlSeconds: 60 }, '?dryRun=true')).toMatchObject({ status: 'ACQUIRED' });
    expect(await transact('ALL_OR_NONE', { ttlSeconds: 61, minTtlSeconds: 60 }, one)).toMatchObject({
      results: [{ status: 'ACQUIRED', expiresAt: at(60), ttlSeconds: 60 }, { status: 'ALREADY_HAD' }],
    });
  });
});

describe('minTtlSeconds: the lease may be cut to the start of the booking', () => {
  test('if this much is left', async () => {
    await book(phone, 60);
    await goTo(0.5);
    expect(await reserve({ ttlSeconds: 90, minTtlSeconds: 60 })).toMatchObject(bookedFrom(60));
    const had = await reserve({ ttlSeconds: 90, minTtlSeconds: 59 });
    expect(had).toMatchObject({ status: 'ACQUIRED', expiresAt: at(60), ttlSeconds: 59 });
    await goTo(10);
    expect(await reserve({ ttlSeconds: 90 })).toMatchObject({ status: 'ALREADY_HAD', ttlSeconds: 50 });
    await goTo(60);
    expect((await holdfast.active()).body).toMatchObject([{ resource: phone, requester: 'bo' }]);
  });

  test('in a pool, if no slot fits the whole lease: the one whose booking begins last', async () => {
    for (const [i, start] of [60, 70, 70].entries()) await book(`${pool}_${i}`, start);
    const lease = { resource: pool, ttlSeconds: 90, minTtlSeconds: 10 };
    expect(await reserve(lease)).toMatchObject({ acquiredSlots: { [pool]: `${pool}_3` }, expiresAt: at(90) });
    expect(await reserve({ ...lease, requester: 'x' })).toMatchObject({
      acquiredSlots: { [pool]: `${pool}_1` },
      ttlSeconds: 70,
    });
    expect(await reserve({ ...lease, requester: 'y', count: 2 })).toMatchObject({
      slots: [`${pool}_0`, `${pool}_2`],
      ttlSeconds: 60,
    });
  });

  test.each([
    [{ minTtlSeconds: 5 }, 'needs ttlSeconds'],
    [{ minTtlSeconds: 6, ttlSeconds: 5 }, 'must be an integer from 1 to ttlSeconds'],
    [{ minTtlSeconds: 0, ttlSeconds: 5 }, 'must be an integer from 1 to ttlSeconds'],
  ])('%o is refused: it %s', async (fields, fault) => {
    expect(await post('reserve', [{ resource: phone, requester: 'ann', ...fields }])).toBe(
      `[0].minTtlSeconds ${fault}`,
    );
    expect(await transact('FIRST', fields)).toBe(`requests[0].minTtlSeconds ${fault}`);
  });
});

describe('a renewal', () => {
  let releaseToken: string | null | undefined;
  beforeEach(async () => {
    releaseToken = (await reserve({ ttlSeconds: 30 }))?.releaseToken;
    await book(phone, 60);
    await goTo(10);
  });

  test('that does not fit changes nothing', async () => {
    expect(await renew({ releaseToken, ttlSeconds: 51 })).toEqual({
      resource: phone,
      requester: 'ann',
      ...bookedFrom(60),
      expiresAt: at(30),
    });
    expect((await holdfast.active()).body).toMatchObject([{ expiresAt: at(30) }]);
    expect(await renew({ releaseToken, ttlSeconds: 50 })).toMatchObject({ status: 'RENEWED', expiresAt: at(60) });
  });

  test('is cut if it allows that', async () => {
    expect(await renew({ releaseToken, ttlSeconds: 90, minTtlSeconds: 51 })).toMatchObject(bookedFrom(60));
    const renewed = await renew({ releaseToken, ttlSeconds: 90, minTtlSeconds: 50 });
    expect(renewed).toMatchObject({ status: 'RENEWED', expiresAt: at(60), ttlSeconds: 50 });
    await goTo(50);
    expect(await renew({ releaseToken, ttlSeconds: 10 })).not.toHaveProperty('ttlSeconds');
  });

  test('refuses a minTtlSeconds over ttlSeconds', async () => {
    expect(await post('renew', [{ resource: phone, requester: 'ann', ttlSeconds: 5, minTtlSeconds: 6 }])).toBe(
      '[0].minTtlSeconds must be an integer from 1 to ttlSeconds',
    );
  });
});

describe('a renewal of a running booking', () => {
  test('never ends it before its end, and is judged like any other beyond that', async () => {
    await book(phone, 60);
    await book(phone, 200, 'x');
    await goTo(60);
    const had = await reserve({ requester: 'bo', ttlSeconds: 90 });
    expect(had).toMatchObject({ status: 'ALREADY_HAD', expiresAt: at(120), ttlSeconds: 60 });
    expect(had?.booking).toMatch(/^[0-9a-f-]{36}$/);
    const { releaseToken } = had ?? {};
    const mine = { requester: 'bo', releaseToken };
    const booking = had?.booking;
    expect(await renew({ ...mine, ttlSeconds: 5 })).toMatchObject({ status: 'RENEWED', expiresAt: at(120), booking });
    expect((await holdfast.active()).body).toMatchObject([{ expiresAt: at(120), booking }]);
    expect(await renew({ ...mine, ttlSeconds: 141 })).toMatchObject({
      ...bookedFrom(200),
      expiresAt: at(120),
      booking,
    });
    expect(await renew({ ...mine, ttlSeconds: 140 })).toMatchObject({ status: 'RENEWED', expiresAt: at(200), booking });
  });

  test('tells a requester whose lease lasts into its own booking that this has begun', async () => {
    const { releaseToken } = (await reserve({ requester: 'bo', ttlSeconds: 90 })) ?? {};
    await book(phone, 60);
    const mine = { requester: 'bo', releaseToken, ttlSeconds: 90 };
    expect(await renew(mine)).not.toHaveProperty('booking');
    await goTo(60);
    expect(await renew(mine)).toMatchObject({ status: 'RENEWED', booking: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });
});

describe('check and tree tell from when on a resource is booked', () => {
  test('one slot, for the requester', async () => {
    expect(await check({})).not.toHaveProperty('bookedFrom');
    await book(phone, 60);
    expect(await check({})).toMatchObject({ reserved: false, reservable: true, bookedFrom: at(60) });
    expect(await check({ requester: 'bo' })).not.toHaveProperty('bookedFrom');
    await reserve({ ttlSeconds: 5 });
    expect(await check({ requester: 'ann' })).toMatchObject({ heldByRequester: true, bookedFrom: at(60) });
    expect(await check({ requester: 'x' })).toMatchObject({ reservable: false, bookedFrom: at(60) });
  });

  test('a pool: the free slot that is booked last', async () => {
    for (const [i, start] of [60, 70, 65].entries()) await book(`${pool}_${i}`, start);
    const node = async () => (await holdfast.tree()).body.find(({ name }) => name === pool);
    expect(await check({ resource: pool })).not.toHaveProperty('bookedFrom');
    expect(await node()).not.toHaveProperty('bookedFrom');
    await reserve({ resource: pool, ttlSeconds: 90 });
    expect(await check({ resource: pool })).toMatchObject({ reservable: true, bookedFrom: at(70) });
    expect(await node()).toMatchObject({ available: 3, bookedFrom: at(70) });
    await reserve({ resource: `${pool}_1`, ttlSeconds: 9 });
    expect(await check({ resource: pool })).toMatchObject({ bookedFrom: at(65) });
    expect(await check({ resource: `${pool}_0` })).toMatchObject({ bookedFrom: at(60) });
  });

  test('who has booked it, if it cannot be reserved at all', async () => {
    await book(phone, 60);
    await goTo(59.5);
    expect(await check({})).toMatchObject({
      reservable: false,
      reason: {
        kind: 'BOOKING',
        resource: phone,
        holders: [{ requester: 'bo', slot: phone, since: at(60), until: at(120), note: 'demo' }],
      },
    });
  });
});
