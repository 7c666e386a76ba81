/**
 * Copies of bookings in the database (docs/specification.md#where-bookings-live).
 */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BookingCopy } from '../../src/engine/bookingCopies.ts';
import { newToken } from '../../src/engine/reservations/releaseToken.ts';
import { deleteOldBookings, PAGE, putBookings, readBookings, tenantsWithBookings } from '../../src/store/bookings.ts';
import { bookings } from '../../src/store/bookingsSchema.ts';
import { tenants } from '../../src/store/schema.ts';
import { makeStore, type OwnStore, storeTenant } from '../support/tenancy.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

describe('the copy of bookings', () => {
  let store: OwnStore;
  let tenant: string;
  beforeAll(async () => {
    store = await makeStore();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    tenant = (await storeTenant(store)).tenant;
  });

  const booking = (fields: Partial<BookingCopy> = {}): BookingCopy => ({
    id: newToken(),
    revision: 1000,
    endsAtMs: Date.now() + HOUR_MS,
    record: '{"slot":"pixel-8"}',
    ...fields,
  });
  const over = ({ id, revision }: BookingCopy): BookingCopy => ({
    id,
    revision: revision + 1,
    endsAtMs: null,
    record: null,
  });
  const put = (...changed: BookingCopy[]) => putBookings(store.database, tenant, changed);
  const pages = (isLive: boolean) => readBookings(store.database, tenant, isLive);
  const read = async (isLive: boolean) => {
    const found: BookingCopy[] = [];
    for await (const page of pages(isLive)) found.push(...page);
    return found;
  };

  test('has the newest of each, however late others are written', async () => {
    const one = booking({ revision: 5 });
    await put(one);
    for (const revision of [4, 5]) await put(booking({ id: one.id, revision, record: 'late' }));
    expect(await read(true)).toEqual([one]);
    const newer = booking({ id: one.id, revision: 6, record: 'newer' });
    await put(newer);
    expect(await read(true)).toEqual([newer]);
  });

  test('keeps what is over, so that nothing older brings it back', async () => {
    const one = booking();
    await put(one);
    await put(over(one));
    await put(one);
    expect(await read(true)).toEqual([]);
    expect(await read(false)).toEqual([{ ...over(one), endsAtMs: one.endsAtMs }]);
  });

  test('is read in pages, each booking once', async () => {
    const many = Array.from({ length: PAGE + 1 }, () => booking());
    await put(...many);
    const sizes: number[] = [];
    const ids = new Set<string>();
    for await (const page of pages(true)) {
      sizes.push(page.length);
      for (const { id } of page) ids.add(id);
    }
    expect(sizes).toEqual([PAGE, 1]);
    expect(ids).toEqual(new Set(many.map(({ id }) => id)));
  });

  test('names the tenants that have any whose end has not come, cancelled ones included', async () => {
    await put(booking({ endsAtMs: Date.now() - 2 * HOUR_MS }));
    expect(await tenantsWithBookings(store.database)).not.toContain(tenant);
    const cancelled = booking();
    await put(cancelled);
    await put(over(cancelled));
    const other = (await storeTenant(store)).tenant;
    // One that was over before it was copied has no end.
    await putBookings(store.database, other, [booking({ endsAtMs: null, record: null })]);
    const found = await tenantsWithBookings(store.database);
    expect(found).toEqual(expect.arrayContaining([tenant, other]));
    expect(found).toEqual([...new Set(found)].sort());
  });

  test('forgets what has been over for a week, and what a deleted tenant had', async () => {
    const [old, cancelled, next] = [booking({ endsAtMs: Date.now() - WEEK_MS - 1 }), booking(), booking()];
    await put(old, cancelled, next);
    await put(over(cancelled));
    expect(await deleteOldBookings(store.database)).toBe(1);
    await store.database.run((db) =>
      db
        .update(bookings)
        .set({ writtenAt: new Date(Date.now() - WEEK_MS - 1) })
        .where(eq(bookings.tenantId, tenant)),
    );
    expect(await deleteOldBookings(store.database)).toBe(1);
    expect(await read(false)).toEqual([next]);
    await store.database.run((db) => db.delete(tenants).where(eq(tenants.id, tenant)));
    expect(await read(false)).toEqual([]);
  });

  test('refuses those of a tenant that is deleted', async () => {
    await expect(putBookings(store.database, 'nobody', [booking()])).rejects.toThrow();
  });
});
