/**
 * Changes of definitions that have bookings (docs/specification.md#bookings).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Registration } from '../../../src/contract/definitions.ts';
import { DEFAULT_SETTINGS } from '../../../src/domain/tenants.ts';
import { book, cancelBookings } from '../../../src/engine/bookings.ts';
import { deleteDefinition, NOW, register } from '../../../src/engine/definitions/changes.ts';
import { loadTenant } from '../../../src/engine/tenant/record.ts';
import { usage } from '../../../src/engine/tenant/usage.ts';
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
