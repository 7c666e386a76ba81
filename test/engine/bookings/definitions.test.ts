/**
 * Changes of definitions that have bookings (docs/specification.md#bookings).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Registration } from '../../../src/contract/definitions.ts';
import { DEFAULT_SETTINGS } from '../../../src/domain/tenants.ts';
import { book, cancelBookings } from '../../../src/engine/bookings.ts';
import {
  apply,
  CLOSING_MS,
  deleteDefinition,
  NOW,
  PLAN,
  register,
  type Step,
} from '../../../src/engine/definitions/changes.ts';
import { loadTenant } from '../../../src/engine/tenant/record.ts';
import { usage } from '../../../src/engine/tenant/usage.ts';
import { setClock } from '../../support/clock.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';

let running: RunningEngine;
beforeAll(async () => {
  running = await startEngine();
});
afterAll(() => running.stop());

const HOUR = 3600;
const inHours = (hours: number) => Math.floor(Date.now() / 1000) + hours * HOUR;
/** Books a slot, from so many hours ahead on. */
async function bookSlot(resource: string, from: number, hours = 1): Promise<string> {
  const item = { resource, requester: 'bo', start: inHours(from), end: inHours(from + hours) };
  const { result } = await book(running.engine, running.credential, { bookings: [item], skipConflicts: false });
  return result.bookings[0]?.explanation ?? '';
}
const define = async (fields: Partial<Registration> & { name: string }): Promise<string> =>
  register(running.engine, running.credential, [{ capacity: null, blocks: [], treePath: null, ...fields }], NOW).then(
    () => 'done',
    (error: Error) => error.message,
  );
const remove = (name: string) =>
  deleteDefinition(running.engine, running.credential, name, false, NOW).then(
    () => 'done',
    (error: Error) => error.message,
  );
const cancelAll = (resource: string) => cancelBookings(running.engine, running.credential, { resource }, new Map());

describe('while it has bookings', () => {
  test('a resource stays bookable, and is not deleted', async () => {
    await define({ name: 'pixel', bookable: true });
    await bookSlot('pixel', 1);
    expect(await define({ name: 'pixel', bookable: false })).toBe('[0].bookable must be true: pixel has bookings');
    expect(await define({ name: 'pixel', group: true })).toBe('[0].group must be false: pixel has bookings');
    expect(await remove('pixel')).toBe('pixel has bookings: cancel them first');
    expect(await define({ name: 'pixel', labels: { os: 'android' } })).toBe('done');
    await cancelAll('pixel');
    expect(await define({ name: 'pixel', bookable: false })).toBe('done');
    expect(await remove('pixel')).toBe('done');
  });

  test('a pool keeps the slots that are booked, and may lose others', async () => {
    await define({ name: 'pool', capacity: 4, bookable: true });
    await bookSlot('pool_2', 1);
    const kept = '[0].capacity must keep the slots of pool that have bookings';
    expect(await define({ name: 'pool', capacity: 2 })).toBe(kept);
    expect(await define({ name: 'pool' })).toBe(kept);
    expect(await define({ name: 'pool', capacity: 3 })).toBe('done');
    expect(await define({ name: 'pool', capacity: 9 })).toBe('done');
    await cancelAll('pool');
    expect(await define({ name: 'pool' })).toBe('done');
  });

  test('a resource with one slot does not become a pool, whose slots have other names', async () => {
    await define({ name: 'tablet', bookable: true });
    await bookSlot('tablet', 1);
    expect(await define({ name: 'tablet', capacity: 2 })).toBe(
      '[0].capacity must keep the slots of tablet that have bookings',
    );
    await cancelAll('tablet');
    expect(await define({ name: 'tablet', capacity: 2 })).toBe('done');
  });
});

describe('a registration that removes slots', () => {
  const resize = (capacity: number, step: Step) =>
    register(running.engine, running.credential, [{ name: 'desk', capacity, blocks: [], treePath: null }], step);

  test('lets nobody book from its plan until it is applied, so that no booked slot is removed', async () => {
    await define({ name: 'desk', capacity: 3, bookable: true });
    const { redis } = running.engine;
    // As with a database.
    await redis.hset(`{${running.credential.tenant}}:tenant`, 'definitionsVersion', 1);
    const planned = await resize(2, PLAN);
    await expect(bookSlot('desk_2', 1)).rejects.toMatchObject({ code: 'unavailable' });
    await resize(2, apply(planned));
    expect(await bookSlot('desk_2', 1)).toBe('NOT_VALID: desk_2 is not registered');
    expect(await bookSlot('desk_1', 1)).toBe('BOOKED');
  });

  test('of which nothing but the plan is known lets book again after a while', async () => {
    const { tenant } = running.credential;
    await cancelAll('desk');
    await resize(1, PLAN);
    await expect(bookSlot('desk_1', 2)).rejects.toMatchObject({ code: 'unavailable' });
    await setClock(running.engine.redis, tenant, Date.now() + CLOSING_MS);
    expect(await bookSlot('desk_1', 2)).toBe('BOOKED');
  });

  test('does not keep anybody from booking if it removes none', async () => {
    await resize(4, PLAN);
    expect(await bookSlot('desk_1', 4)).toBe('BOOKED');
    await cancelAll('desk');
  });
});

test('the settings of a tenant bound the length of bookings and those of a requester, and usage counts them', async () => {
  const { engine, credential } = running;
  const { tenant, credentialKey } = credential;
  await define({ name: 'watch', bookable: true });
  const keys = [{ digest: credentialKey, label: null, grant: null }];
  const settings = { ...DEFAULT_SETTINGS, maxBookingSeconds: HOUR, bookingsPerRequester: 1 };
  const record = { id: tenant, version: null, tier: 'Enterprise' as const, suspended: false, keys, notices: null };
  await loadTenant(engine.redis, { ...record, ...settings }, { definitionsVersion: 0, lease: null });
  expect(await bookSlot('watch', 1, 2)).toBe("NOT_VALID: this tenant's bookings are at most 3600 s long");
  expect(await bookSlot('watch', 1)).toBe('BOOKED');
  expect(await bookSlot('watch', 3)).toBe('NOT_VALID: bo has 1 future bookings, and this tenant allows no more');
  expect((await usage(engine, credential)).result.bookings).toBe(1);
});
