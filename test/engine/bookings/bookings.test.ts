/**
 * Bookings, from the request to the end of their time (docs/specification.md#bookings).
 */
import { describe, expect, test } from 'vitest';
import type { Credential } from '../../../src/domain/tenants.ts';
import { type BookingFilter, bookings, cancelBookings } from '../../../src/engine/bookings.ts';
import { deleteDefinition, NOW } from '../../../src/engine/definitions/changes.ts';
import { registerBookable } from '../../support/bookable.ts';
import { interceptScript } from '../../support/engine.ts';
import { hotOf } from '../../support/hotRecord.ts';
import { reset, unreserve } from '../../support/verbs.ts';
import { BookingLab, HOUR } from './lab.ts';

const lab = new BookingLab({ phone: 1, pool: 3 });
const hasFlag = async () => ((await hotOf(lab.running.engine.redis, lab.credential.tenant)).flags & 512) > 0;

describe('a booking', () => {
  test('becomes a reservation of its slot at its start, with a lease until its end', async () => {
    const booked = await lab.book(HOUR, 2 * HOUR, { note: 'demo' });
    expect(booked).toMatchObject({ status: 'BOOKED', slot: 'phone', resource: 'phone', start: lab.iso(HOUR) });
    await lab.goTo(HOUR - 1);
    expect(await lab.held()).toEqual([]);
    await lab.goTo(HOUR);
    expect(await lab.held()).toMatchObject([
      { resource: 'phone', requester: 'bo', reservedAt: lab.iso(HOUR), expiresAt: lab.iso(2 * HOUR), note: 'demo' },
    ]);
    expect(await lab.list()).toMatchObject([{ booking: booked.booking, state: 'RUNNING' }]);
    await lab.goTo(2 * HOUR);
    expect(await lab.held()).toEqual([]);
    expect(await lab.list()).toEqual([]);
  });

  test('begins at once if its start is up to 60 s ago, and was free since', async () => {
    await lab.goTo(HOUR);
    const booked = await lab.book(HOUR - 60, HOUR + 1);
    expect(booked).toMatchObject({ status: 'BOOKED', start: lab.iso(HOUR), end: lab.iso(HOUR + 1) });
    expect(await lab.held()).toMatchObject([{ requester: 'bo', expiresAt: lab.iso(HOUR + 1) }]);
    await lab.goTo(HOUR + 1);
    const { booking } = await lab.book(2 * HOUR, 3 * HOUR);
    const moved = await lab.change(booking, { start: lab.at(HOUR - 59), end: lab.at(2 * HOUR) });
    expect(moved?.booking).toMatchObject({ start: lab.iso(HOUR + 1), end: lab.iso(2 * HOUR), state: 'BOOKED' });
    expect(await lab.list()).toMatchObject([{ state: 'RUNNING' }]);
    expect(await lab.change(booking, { start: lab.at(HOUR) })).toMatchObject({ status: 'NOT_VALID' });
  });

  test('is listed with what was said, by resource, requester and time', async () => {
    const first = await lab.book(HOUR, 2 * HOUR, { note: 'demo' });
    await lab.book(3 * HOUR, 4 * HOUR, { requester: 'al', resource: 'pool' });
    expect(await lab.list({ resource: 'phone' })).toEqual([
      {
        booking: first.booking,
        resource: 'phone',
        slot: 'phone',
        requester: 'bo',
        start: lab.iso(HOUR),
        end: lab.iso(2 * HOUR),
        state: 'BOOKED',
        note: 'demo',
        resourceType: 'UserDefined',
        bookedAt: lab.iso(0),
        bookedBy: null,
        apiKeyLabel: null,
      },
    ]);
    expect(await lab.list({ requester: 'al' })).toMatchObject([{ slot: 'pool_0' }]);
    expect(await lab.list({ from: lab.at(HOUR), to: lab.at(3 * HOUR) })).toMatchObject([{ slot: 'phone' }]);
    expect(await lab.list({ from: lab.at(2 * HOUR) })).toMatchObject([{ slot: 'pool_0' }]);
    expect(await lab.list()).toHaveLength(2);
  });

  test('is charged in lists that go through it', async () => {
    await lab.bookAll([1, 3, 5].map((hour) => lab.item(hour * HOUR, (hour + 1) * HOUR)));
    await lab.book(HOUR, 2 * HOUR, { resource: 'pool', requester: 'al' });
    const total = async (filter: BookingFilter) =>
      (await bookings(lab.running.engine, lab.credential, filter).next()).value?.total;
    expect(await total({})).toBe(4);
    expect(await total({ resource: 'phone', requester: 'al' })).toBe(3);
    expect(await total({ requester: 'al' })).toBe(1);
    expect(await total({ resource: 'phone', to: lab.at(4 * HOUR) })).toBe(2);
  });

  test('that is cancelled never begins, and one that runs is released', async () => {
    const { booking } = await lab.book(HOUR, 2 * HOUR);
    const second = await lab.book(2 * HOUR, 3 * HOUR);
    expect(await lab.cancel({ booking: booking ?? '' })).toBe(1);
    expect(await lab.cancel({ booking: booking ?? '' })).toBe(0);
    await lab.goTo(HOUR);
    expect(await lab.held()).toEqual([]);
    await lab.goTo(2 * HOUR);
    expect(await lab.held()).toHaveLength(1);
    expect(await lab.cancel({ booking: second.booking ?? '' })).toBe(1);
    expect(await lab.held()).toEqual([]);
    expect(await hasFlag()).toBe(false);
  });

  test('is moved if the new time fits, and stays as it is if not', async () => {
    const { booking } = await lab.book(HOUR, 2 * HOUR);
    await lab.book(3 * HOUR, 4 * HOUR, { requester: 'al' });
    const change = (start: number, end: number) =>
      lab.change(booking, { start: lab.at(start), end: lab.at(end), note: 'moved' });
    expect(await change(HOUR, 3 * HOUR + 60)).toMatchObject({
      status: 'CONFLICT',
      conflict: { requester: 'al' },
      booking: { start: lab.iso(HOUR), end: lab.iso(2 * HOUR), note: null },
    });
    expect(await change(HOUR + 60, 3 * HOUR)).toMatchObject({
      status: 'BOOKED',
      booking: { start: lab.iso(HOUR + 60), end: lab.iso(3 * HOUR), note: 'moved' },
    });
    expect(await lab.change(booking, { note: null })).toMatchObject({ booking: { note: null } });
    await lab.goTo(HOUR);
    expect(await lab.held()).toEqual([]);
    await lab.goTo(HOUR + 60);
    expect(await lab.held()).toMatchObject([{ expiresAt: lab.iso(3 * HOUR) }]);
    expect(await lab.change(booking, { end: lab.at(4 * HOUR) })).toMatchObject({ status: 'NOT_VALID' });
  });

  test('of a pool is moved to another slot if its own is taken then', async () => {
    const { booking } = await lab.book(HOUR, 2 * HOUR, { resource: 'pool' });
    await lab.book(2 * HOUR, 3 * HOUR, { resource: 'pool_0' });
    expect(await lab.change(booking, { end: lab.at(3 * HOUR) })).toMatchObject({
      status: 'BOOKED',
      booking: { slot: 'pool_1' },
    });
  });

  test('is over after a reset if it runs, and stays if it has not begun', async () => {
    await lab.book(HOUR, 2 * HOUR);
    await lab.book(3 * HOUR, 4 * HOUR);
    await lab.goTo(HOUR);
    expect(await lab.held()).toHaveLength(1);
    await reset(lab.running.engine, lab.credential);
    expect(await lab.list()).toMatchObject([{ state: 'BOOKED' }]);
    await lab.goTo(3 * HOUR);
    expect(await lab.held()).toMatchObject([{ expiresAt: lab.iso(4 * HOUR) }]);
    await lab.goTo(4 * HOUR);
    expect(await lab.held()).toEqual([]);
    expect(await hasFlag()).toBe(false);
  });

  test('that a reset has ended does not keep its resource once all are cancelled', async () => {
    const { engine } = lab.running;
    await registerBookable(lab.running, { desk: 1 });
    await lab.book(HOUR, 2 * HOUR, { resource: 'desk' });
    await lab.goTo(HOUR);
    expect(await lab.held()).toHaveLength(1);
    await reset(engine, lab.credential);
    expect(await lab.cancel({ resource: 'desk' })).toBe(0);
    await deleteDefinition(engine, lab.credential, 'desk', false, NOW);
    expect(await hasFlag()).toBe(false);
  });

  test('of many that are cancelled: what was taken is told, also if a later piece fails', async () => {
    await registerBookable(lab.running, { hall: 200 });
    const item = (requester: string) => lab.item(HOUR, 2 * HOUR, { resource: 'hall', requester });
    await lab.bookAll(Array.from({ length: 150 }, (_, i) => item(i < 75 ? 'bo' : 'al')));
    const credentialKey = `session:${'d'.repeat(64)}`;
    const session = { rights: 'reserve force', requester: 'op', email: 'op@lab.example', actor: 'person:op', id: '1' };
    await lab.running.engine.redis.set(`{${lab.credential.tenant}}:${credentialKey}`, JSON.stringify(session));
    let pieces = 0;
    const engine = interceptScript(lab.running, 'cancelBookings', (send) =>
      pieces++ === 0 ? send() : Promise.reject(new Error('the connection is lost')),
    );
    const taken = new Map<string, string>();
    const person: Credential = { tenant: lab.credential.tenant, credentialKey, kind: 'session' };
    await expect(cancelBookings(engine, person, { resource: 'hall' }, taken)).rejects.toThrow('lost');
    expect(Object.fromEntries(taken)).toEqual({ al: 'hall', bo: 'hall' });
    expect(await lab.cancel({ resource: 'hall' })).toBe(50);
  });

  test('that was over before anybody looked never begins', async () => {
    await lab.book(HOUR, 2 * HOUR);
    await lab.book(2 * HOUR, 3 * HOUR, { requester: 'al' });
    await lab.goTo(2 * HOUR);
    expect(await lab.held()).toMatchObject([{ requester: 'al' }]);
  });
});

describe('a series', () => {
  const series = '018f0000-0000-7000-8000-000000000001';

  test('is cancelled as a whole, or from a time on', async () => {
    for (const from of [1, 3, 5]) await lab.book(from * HOUR, (from + 1) * HOUR, { series });
    await lab.book(7 * HOUR, 8 * HOUR);
    expect(await lab.cancel({ series, from: lab.at(3 * HOUR) })).toBe(2);
    expect(await lab.list()).toMatchObject([{ series, start: lab.iso(HOUR) }, { start: lab.iso(7 * HOUR) }]);
    expect(await lab.cancel({ series })).toBe(1);
    expect(await lab.list()).toHaveLength(1);
  });
});

describe('a booking that must be claimed', () => {
  test('ends if its requester has not reserved its slot in time', async () => {
    await lab.book(HOUR, 2 * HOUR, { claimWithinSeconds: 600 });
    await lab.goTo(HOUR);
    expect(await lab.list()).toMatchObject([{ isClaimed: false, state: 'RUNNING' }]);
    await lab.goTo(HOUR + 599);
    expect(await lab.held()).toHaveLength(1);
    await lab.goTo(HOUR + 600);
    expect(await lab.held()).toEqual([]);
    expect(await lab.list()).toEqual([]);
  });

  test('is claimed by a reserve of its slot, which returns it', async () => {
    await lab.book(HOUR, 2 * HOUR, { claimWithinSeconds: 600 });
    await lab.goTo(HOUR + 599);
    const had = await lab.reserve({ resource: 'phone', requester: 'bo' });
    expect(had).toMatchObject({ status: 'ALREADY_HAD', expiresAt: lab.iso(2 * HOUR) });
    expect(await lab.list()).toMatchObject([{ isClaimed: true }]);
    await lab.goTo(HOUR + 600);
    expect(await lab.held()).toHaveLength(1);
    const [released] = await unreserve(lab.running.engine, lab.credential, [
      { resource: 'phone', requester: 'bo', releaseToken: had.releaseToken ?? '' },
    ]);
    expect(released).toMatchObject({ status: 'RELINQUISHED' });
    expect(await lab.list()).toEqual([]);
  });
});
