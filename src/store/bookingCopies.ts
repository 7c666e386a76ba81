/**
 * Copies bookings from Redis to the database, and brings back what Redis has lost
 * (docs/specification.md#where-bookings-live).
 */
import { randomUUID } from 'node:crypto';
import { HoldfastError } from '../domain/errors.ts';
import {
  bookingChanges,
  type CopyState,
  copyState,
  dropBookingChanges,
  hasBookingChanges,
  logBookings,
  noteCompared,
  restoreBookings,
} from '../engine/bookingCopies.ts';
import { dropCopyLease, takeCopyLease } from '../engine/definitions/copy.ts';
import type { Engine } from '../engine/engine.ts';
import { visitBy } from '../engine/expiry/dueIndex.ts';
import { tenantKey } from '../redis/keys.ts';
import { isAway } from '../redis/send.ts';
import { ownerOf } from '../redis/topology.ts';
import { hasBookings, PAGE, putBookings, readBookings, tenantsWithBookings } from './bookings.ts';
import type { Store } from './records.ts';

/** Tenants that are looked at at the same time. */
const AT_ONCE = 8;

/**
 * Copies a tenant's bookings that have changed since they were copied.
 * @throws HoldfastError unavailable; other errors if there is no such tenant
 */
export async function copyBookings({ database, redis }: Store, tenant: string): Promise<void> {
  for (;;) {
    const changes = await bookingChanges(redis, tenant, PAGE);
    await putBookings(database, tenant, changes);
    const dropped = await dropBookingChanges(redis, tenant, changes);
    if (changes.length < PAGE || dropped === 0) return;
  }
}

/**
 * As copyBookings(), of a tenant that seldom has any.
 * @throws as copyBookings()
 */
export async function copyBookingsIfAny(store: Store, tenant: string): Promise<void> {
  if (await hasBookingChanges(store.redis, tenant)) await copyBookings(store, tenant);
}

/**
 * Makes sure that the database has some bookings of Redis.
 * @param ids in their stored form
 * @throws HoldfastError unavailable: it is not known whether the database has them
 */
export async function keepBookings({ database, redis }: Store, tenant: string, ids: readonly string[]): Promise<void> {
  const changes = await bookingChanges(redis, tenant, ids);
  await putBookings(database, tenant, changes);
  const written = new Set(changes.map(({ id }) => id));
  const others = ids.filter((id) => !written.has(id));
  // The worker has copied them, or Redis has just lost them.
  if (!(await hasBookings(database, tenant, others)))
    throw new HoldfastError('unavailable', 'The reservation store has lost the booking. Repeat the call.');
  // If this fails, they are copied once more.
  await dropBookingChanges(redis, tenant, changes).catch(() => {});
}

/**
 * Looks after the bookings of all tenants that have some: loads tenants that Redis has lost, so that their bookings
 * begin; copies what has changed; and compares Redis with the database after Redis may have lost writes, or a tenant
 * was reset.
 * @param loadTenant loads a tenant, with its bookings
 * @throws HoldfastError unavailable, or errors of single tenants, after all others have been looked at
 */
export async function lookAfterBookings(store: Store, loadTenant: Engine['loadTenant']): Promise<void> {
  const queue = await tenantsWithBookings(store.database);
  const histories = new Map<unknown, Promise<string>>();
  const unreachable = new Map<string, unknown>();
  let failure: unknown;
  const work = async () => {
    for (let tenant = queue.shift(); tenant !== undefined; tenant = queue.shift()) {
      const primary = ownerOf(store.redis, tenantKey(tenant));
      if (unreachable.has(primary)) continue;
      try {
        await lookAfter(store, tenant, loadTenant, histories);
      } catch (error) {
        failure = error;
        if (isAway(error)) unreachable.set(primary, error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failure !== undefined) throw failure;
}

async function lookAfter(
  store: Store,
  tenant: string,
  loadTenant: Engine['loadTenant'],
  histories: Map<unknown, Promise<string>>,
): Promise<void> {
  let state = await copyState(store.redis, tenant, histories);
  if (!state.isLoaded) {
    await loadTenant(tenant);
    state = await copyState(store.redis, tenant, histories);
  }
  if (state.hasChanges) await copyBookings(store, tenant);
  if (state.isLoaded && state.compared !== state.now) await compare(store, tenant, state);
}

/** Puts into each of the two what only the other has, or has in a newer state. */
async function compare(store: Store, tenant: string, state: CopyState): Promise<void> {
  const { database, redis } = store;
  await logBookings(redis, tenant);
  await copyBookings(store, tenant);
  const lease = randomUUID();
  // What another instance copies meanwhile is compared by the next run.
  if (!(await takeCopyLease(redis, tenant, lease))) return;
  try {
    for await (const page of readBookings(database, tenant, false)) {
      const dueMs = await restoreBookings(redis, tenant, lease, page);
      if (dueMs === null) return;
      await visitBy(redis, tenant, dueMs);
    }
    await noteCompared(redis, tenant, state);
  } finally {
    await dropCopyLease(redis, tenant);
  }
}
