/**
 * The start of a booking, and its end (docs/specification.md#the-start-and-the-end).
 */
import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../src/domain/conditions.ts';
import { LimitError } from '../../../src/domain/errors.ts';
import { book } from '../../../src/engine/bookings.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { active } from '../../../src/engine/reservations/active.ts';
import { setCondition } from '../../../src/engine/reservations/conditions.ts';
import { expiryKey, expiryShard, keysOf } from '../../../src/redis/keys.ts';
import { runScript } from '../../../src/redis/scripts.ts';
import { registerBookable } from '../../support/bookable.ts';
import { setClock } from '../../support/clock.ts';
import { startEngine } from '../../support/engine.ts';
import { changeHot, FLAGS, hotOf } from '../../support/hotRecord.ts';
import { all } from '../../support/listed.ts';
import { reserve, reset, transaction, unreserve } from '../../support/verbs.ts';
import { BookingLab, HOUR } from './lab.ts';

const lab = new BookingLab({ phone: 1, pool: 3 });
const release = (resource: string, requester: string, releaseToken: string | null) =>
  unreserve(lab.running.engine, lab.credential, [{ resource, requester, releaseToken: releaseToken ?? '' }]);
const set = (resource: string, condition: Condition) =>
  setCondition(lab.running.engine, lab.credential, [{ resource, condition }]);
const states = async () => (await lab.list()).map(({ state }) => state);

describe('at its start', () => {
  test('the lease that its requester has of the slot is extended to its end', async () => {
    const had = await lab.reserve({ resource: 'phone', requester: 'bo', ttlSeconds: 2 * HOUR });
    await lab.book(HOUR, 3 * HOUR, { claimWithinSeconds: 60 });
    await lab.goTo(HOUR);
    expect(await lab.held()).toMatchObject([{ fencingToken: had.fencingToken, expiresAt: lab.iso(3 * HOUR) }]);
    expect(await lab.list()).toMatchObject([{ state: 'RUNNING', isClaimed: true }]);
    await lab.goTo(3 * HOUR - 1);
    expect(await lab.held()).toHaveLength(1);
    await release('phone', 'bo', had.releaseToken);
    expect(await lab.list()).toEqual([]);
  });

  test('a lease that ends a moment later is extended too, if both are due in one call', async () => {
    const had = await lab.reserve({ resource: 'phone', requester: 'bo', ttlSeconds: HOUR + 1 });
    await lab.book(HOUR, 2 * HOUR);
    await lab.goTo(HOUR + 2);
    expect(await lab.held()).toMatchObject([{ fencingToken: had.fencingToken, expiresAt: lab.iso(2 * HOUR) }]);
    await lab.goTo(2 * HOUR);
    expect(await lab.held()).toEqual([]);
  });

  test('a lease that is longer stays as long, and the booking is over at its end', async () => {
    await lab.reserve({ resource: 'phone', requester: 'bo', ttlSeconds: 3 * HOUR });
    await lab.book(HOUR, 2 * HOUR);
    await lab.goTo(HOUR);
    expect(await lab.held()).toMatchObject([{ expiresAt: lab.iso(3 * HOUR) }]);
    await lab.goTo(2 * HOUR);
    expect(await lab.list()).toEqual([]);
    expect(await lab.held()).toHaveLength(1);
    await lab.goTo(3 * HOUR);
  });

  test('a lease that ends then makes room for it', async () => {
    await lab.reserve({ resource: 'phone', requester: 'al', ttlSeconds: HOUR });
    await lab.book(HOUR, 2 * HOUR);
    await lab.goTo(HOUR);
    expect(await lab.held()).toMatchObject([{ requester: 'bo' }]);
  });

  test('it begins in a suspended tenant, without any call', async () => {
    const { redis } = lab.running.engine;
    const { tenant } = lab.credential;
    await lab.book(HOUR, 2 * HOUR);
    await lab.goTo(HOUR);
    const { flags } = await hotOf(redis, tenant);
    await changeHot(redis, tenant, { flags: flags + FLAGS.suspended });
    await runScript(redis, 'sweep', ...keysOf('sweep', tenant), '');
    expect((await hotOf(redis, tenant)).count).toBe(1);
    await changeHot(redis, tenant, { flags: (await hotOf(redis, tenant)).flags - FLAGS.suspended });
  });

  test('it takes another slot of the pool that is free until its end, if its own is out of service', async () => {
    await lab.book(HOUR, 2 * HOUR, { resource: 'pool' });
    await lab.book(HOUR + 600, 2 * HOUR, { resource: 'pool_1', requester: 'al' });
    await set('pool_0', 'out');
    await lab.goTo(HOUR);
    expect(await lab.held()).toMatchObject([{ resource: 'pool_2', requester: 'bo' }]);
    expect(await lab.list()).toMatchObject([{ slot: 'pool_2', state: 'RUNNING' }, { slot: 'pool_1' }]);
    await set('pool_0', 'ready');
  });

  test('it takes its slot although that is dirty', async () => {
    await lab.book(HOUR, 2 * HOUR);
    await set('phone', 'dirty');
    await lab.goTo(HOUR);
    expect(await lab.held()).toHaveLength(1);
    await set('phone', 'ready');
  });
});

describe('a booking that cannot begin', () => {
  /** Makes one of phone, which is out of service then. */
  async function delayed(): Promise<void> {
    await lab.book(HOUR, 2 * HOUR);
    await set('phone', 'out');
    await lab.goTo(HOUR);
    expect(await lab.held()).toEqual([]);
    expect(await states()).toEqual(['DELAYED']);
  }

  test('is delayed, and begins as soon as its slot is in service', async () => {
    await delayed();
    await lab.goTo(HOUR + 60);
    await set('phone', 'ready');
    expect(await lab.held()).toMatchObject([
      { requester: 'bo', reservedAt: lab.iso(HOUR + 60), expiresAt: lab.iso(2 * HOUR) },
    ]);
    expect(await states()).toEqual(['RUNNING']);
  });

  test('is over at its end', async () => {
    await delayed();
    await lab.goTo(2 * HOUR);
    expect(await states()).toEqual([]);
    await set('phone', 'ready');
    expect(await lab.held()).toEqual([]);
  });

  test('begins after a reset, which frees its slot', async () => {
    await lab.reserve({ resource: 'pool', requester: 'bo', count: 3, ttlSeconds: 2 * HOUR });
    await lab.book(HOUR, 2 * HOUR, { resource: 'pool' });
    await lab.goTo(HOUR);
    // What its requester holds together with other slots is not extended.
    expect(await states()).toEqual(['DELAYED']);
    const { tenant } = lab.credential;
    const { redis } = lab.running.engine;
    const dueIndex = expiryKey(expiryShard(tenant));
    await redis.zrem(dueIndex, tenant);
    await reset(lab.running.engine, lab.credential);
    // If no call of the tenant comes, the sweep does.
    expect(await redis.zscore(dueIndex, tenant)).toBe(String(lab.at(HOUR) * 1000));
    expect(await states()).toEqual(['RUNNING']);
    expect(await lab.held()).toMatchObject([{ resource: 'pool_0', requester: 'bo' }]);
  });

  test('does not get what a transaction releases and takes itself', async () => {
    await lab.book(HOUR, 2 * HOUR, { resource: 'pool_0' });
    const al = { requester: 'al', ttlSeconds: 2 * HOUR };
    const [, held] = [
      await lab.reserve({ resource: 'pool_1', ...al }),
      await lab.reserve({ resource: 'pool_2', ...al }),
    ];
    await set('pool_0', 'out');
    await lab.goTo(HOUR);
    expect(await states()).toEqual(['DELAYED']);
    const { status, results } = await transaction(lab.running.engine, lab.credential, 'ALL_OR_NONE', [
      { requestType: 'UNRESERVE', resource: 'pool_2', requester: 'al', releaseToken: held?.releaseToken ?? '' },
      { requestType: 'RESERVE', resource: 'pool', requester: 'cy', ttlSeconds: 60 },
    ]);
    expect([status, results[1]]).toMatchObject(['APPLIED', { acquiredSlots: { pool: 'pool_2' } }]);
    expect(await states()).toEqual(['DELAYED']);
    await reset(lab.running.engine, lab.credential);
    await set('pool_0', 'ready');
  });

  test('begins in any slot of its pool that is free until its end', async () => {
    await lab.book(HOUR, 2 * HOUR, { resource: 'pool_0' });
    await lab.book(2 * HOUR - 60, 3 * HOUR, { resource: 'pool_1', requester: 'al' });
    for (const slot of ['pool_0', 'pool_1', 'pool_2']) await set(slot, 'out');
    await lab.goTo(HOUR);
    expect(await states()).toEqual(['DELAYED', 'BOOKED']);
    await set('pool_1', 'ready');
    expect(await states()).toEqual(['DELAYED', 'BOOKED']);
    await set('pool_2', 'ready');
    expect(await lab.held()).toMatchObject([{ resource: 'pool_2', requester: 'bo', expiresAt: lab.iso(2 * HOUR) }]);
    for (const slot of ['pool_0', 'pool_1']) await set(slot, 'ready');
  });

  test.each([
    ['cancelled', (booking: string) => lab.cancel({ booking })],
    ['moved', (booking: string) => lab.change(booking, { start: lab.at(2 * HOUR) })],
  ])('begins in a slot as soon as a booking that was in the way there is %s', async (_, giveWay) => {
    await lab.book(HOUR, 2 * HOUR, { resource: 'pool_0' });
    const { booking } = await lab.book(2 * HOUR - 60, 3 * HOUR, { resource: 'pool_1', requester: 'al' });
    for (const slot of ['pool_0', 'pool_2']) await set(slot, 'out');
    await lab.goTo(HOUR);
    expect(await states()).toEqual(['DELAYED', 'BOOKED']);
    await giveWay(booking ?? '');
    expect(await lab.held()).toMatchObject([{ resource: 'pool_1', requester: 'bo', expiresAt: lab.iso(2 * HOUR) }]);
    for (const slot of ['pool_0', 'pool_2']) await set(slot, 'ready');
  });

  test('begins in a slot that its pool gets', async () => {
    const grow = (capacity: number) =>
      register(
        lab.running.engine,
        lab.credential,
        [{ name: 'growing', capacity, blocks: [], treePath: null, bookable: true }],
        NOW,
      );
    await grow(2);
    await lab.book(HOUR, 2 * HOUR, { resource: 'growing' });
    for (const slot of ['growing_0', 'growing_1']) await set(slot, 'out');
    await lab.goTo(HOUR);
    expect(await states()).toEqual(['DELAYED']);
    await grow(3);
    expect(await lab.held()).toMatchObject([{ resource: 'growing_2' }]);
    await lab.cancel({ resource: 'growing' });
  });

  test('is cancelled like any other', async () => {
    await delayed();
    expect(await lab.cancel({ resource: 'phone' })).toBe(1);
    await set('phone', 'ready');
    expect(await lab.held()).toEqual([]);
  });
});

describe('the cap on reservations', () => {
  test('keeps no booking from its start, and a booking counts towards it', async () => {
    const running = await startEngine(undefined, undefined, undefined, { reservations: 1 });
    const { engine, credential } = running;
    await registerBookable(running, { phone: 1 });
    const goTo = (seconds: number) => setClock(engine.redis, credential.tenant, lab.at(seconds) * 1000);
    await goTo(0);
    await book(engine, credential, { bookings: [lab.item(HOUR, 2 * HOUR)], skipConflicts: false });
    const [had] = await reserve(engine, credential, [{ resource: 'a', requester: 'al' }]);
    await goTo(HOUR);
    const held = await all(active(engine, credential));
    expect(held.map(({ resource }) => resource).sort()).toEqual(['a', 'phone']);
    await unreserve(engine, credential, had ? [had] : []);
    await expect(reserve(engine, credential, [{ resource: 'a', requester: 'al' }])).rejects.toThrow(LimitError);
    running.stop();
  });
});
