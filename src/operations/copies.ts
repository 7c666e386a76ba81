/**
 * Copies and moves data from Redis to the database, for jobs: histories, usage of tenants, what is out of service, and
 * counts of refusals.
 */
import { HoldfastError } from '../domain/errors.ts';
import type { TierTable } from '../domain/tiers.ts';
import { addWaiting, takeWaiting, type WaitingHistory } from '../engine/history/stream.ts';
import { outOfService, outVersion } from '../engine/reservations/conditions.ts';
import { allRefusals } from '../engine/tenant/refusals.ts';
import { activeSince, measure } from '../engine/tenant/usage.ts';
import { moveHistory } from '../store/moveHistory.ts';
import { copiedVersions, putOutOfService } from '../store/outOfService.ts';
import type { Store } from '../store/records.ts';
import { putRefusals } from '../store/refusals.ts';
import { putUsages, staleUsages } from '../store/tenantList.ts';

/** Tenants that are moved at the same time. */
const AT_ONCE = 3;

/**
 * Moves the histories of all tenants that have entries in Redis to the database (docs/specification.md#history): a
 * batch of each tenant in turn, so that a long one does not delay the others.
 * @param sinceMs tenants that have been active since then are looked at, in ms since 1970 UTC
 * @param withinMs how long it may take. What is left waits for the next run
 * @returns the number of entries that were moved
 * @throws HoldfastError unavailable; other errors of single tenants, after all others have been moved
 */
export async function moveHistories(
  store: Store,
  tiers: TierTable,
  sinceMs: number,
  withinMs: number,
): Promise<number> {
  const now = Date.now();
  const active = await activeSince(store.redis, sinceMs);
  await addWaiting(
    store.redis,
    [...active.keys()].map((tenant) => ({ tenant, sinceMs: now })),
  );
  let round = await takeWaiting(store.redis);
  let entries = 0;
  let failure: unknown;
  const failed: WaitingHistory[] = [];
  const isOver = () => Date.now() - now > withinMs || isUnavailable(failure);
  try {
    while (round.length > 0 && !isOver()) {
      const queue = round;
      const left: WaitingHistory[] = [];
      round = left;
      const move = async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          if (isOver()) {
            left.push(next);
            continue;
          }
          try {
            const moved = await moveHistory(store, next.tenant, { tiers, maxBatches: 1 });
            entries += moved.entries;
            if (moved.hasMore) left.push(next);
          } catch (error) {
            failure = error;
            failed.push(next);
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, move));
    }
  } finally {
    await addWaiting(store.redis, [...round, ...failed]);
  }
  if (failure !== undefined) throw failure;
  return entries;
}

const isUnavailable = (error: unknown): boolean => error instanceof HoldfastError && error.code === 'unavailable';

/** Number of tenants that are measured at the same time, and written by one statement. */
const TENANTS_AT_ONCE = 200;
/** Maximum age of a row of a tenant that is not active. */
const STALE_MS = 60_000;
/** The most rows of such tenants that one run writes. */
const MAX_STALE = 2000;

/**
 * Copies what tenants use from Redis, where each tenant's numbers are its own, to the database, where administrators
 * can sort tenants by them (docs/specification.md#the-use-of-tenants): of tenants that have been active since a time,
 * and of those whose numbers change by themselves.
 * @param sinceMs ms since 1970 UTC
 * @returns how many tenants
 * @throws HoldfastError unavailable
 */
export async function copyUsages(store: Store, sinceMs: number): Promise<number> {
  const active = await activeSince(store.redis, sinceMs);
  const stale = await staleUsages(store, new Date(Date.now() - STALE_MS), MAX_STALE);
  const tenants = [...new Set([...active.keys(), ...stale])];
  for (let i = 0; i < tenants.length; i += TENANTS_AT_ONCE) {
    const measured = await Promise.all(
      tenants.slice(i, i + TENANTS_AT_ONCE).map((tenant) => measure(store.redis, tenant)),
    );
    await putUsages(
      store,
      measured.map((one) => ({ ...one, activeAtMs: active.get(one.tenant) ?? null })),
    );
  }
  return tenants.length;
}

/** Times that a list is read, if it changes meanwhile. */
const ATTEMPTS = 3;

/**
 * Copies what is out of service from Redis to the database (docs/specification.md#condition): of tenants that have been
 * active since a time, and whose copy is older.
 * @param sinceMs ms since 1970 UTC
 * @returns how many tenants
 * @throws HoldfastError unavailable
 */
export async function copyOutOfService(store: Store, sinceMs: number): Promise<number> {
  const active = [...(await activeSince(store.redis, sinceMs)).keys()];
  let copied = 0;
  for (let i = 0; i < active.length; i += TENANTS_AT_ONCE) {
    const part = active.slice(i, i + TENANTS_AT_ONCE);
    const versions = await Promise.all(part.map((tenant) => outVersion(store.redis, tenant)));
    // Few tenants have ever taken a slot out of service.
    const known = part.filter((_, at) => versions[at] !== 0);
    const before = known.length === 0 ? new Map<string, number>() : await copiedVersions(store, known);
    for (const [at, tenant] of part.entries()) {
      if ((versions[at] ?? 0) <= (before.get(tenant) ?? Number.POSITIVE_INFINITY)) continue;
      if (await copyOutOf(store, tenant)) copied++;
    }
  }
  return copied;
}

/** Returns false if Redis has lost the tenant, or the list changed all the time: the next run copies it. */
async function copyOutOf(store: Store, tenant: string): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const list = await outOfService(store.redis, tenant);
    if (list === null || list.version === '') return false;
    const version = Number(list.version);
    // A list of which Redis lost a part while it was read must not replace the copy.
    if ((await outVersion(store.redis, tenant)) !== version) continue;
    await putOutOfService(store, tenant, version, list.slots);
    return true;
  }
  return false;
}

const HOUR_MS = 3_600_000;
/** An instance writes its counts up to some seconds after the hour. */
const LATE_MS = 60_000;

const PREFIX = { resource: 'r', limit: 'l', others: 'o' } as const;

/**
 * Copies the counts of refusals from Redis, which keeps some days, to the database (docs/specification.md#refusals):
 * the hours since a time, of the tenants that have been active since then. A copy that is repeated changes nothing.
 * @param sinceMs ms since 1970 UTC
 * @throws HoldfastError unavailable
 */
export async function copyRefusals(store: Store, sinceMs: number): Promise<void> {
  const now = Date.now();
  const fromMs = Math.floor((sinceMs - LATE_MS) / HOUR_MS) * HOUR_MS;
  const active = await activeSince(store.redis, sinceMs);
  for (const tenant of active.keys()) {
    const hours = new Map<number, Map<string, number>>();
    for await (const counts of allRefusals(store.redis, tenant, fromMs, now))
      for (const { startMs, kind, name, count } of counts) {
        const ofHour = hours.get(startMs) ?? new Map<string, number>();
        hours.set(startMs, ofHour.set(PREFIX[kind] + name, count));
      }
    const rows = [...hours].map(([startMs, counts]) => ({ startMs, counts: Object.fromEntries(counts) }));
    await putRefusals(store.database, tenant, rows);
  }
}
