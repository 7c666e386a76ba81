/**
 * Copies what tenants use from Redis, where each tenant's numbers are its own, to the database, where administrators
 * can sort tenants by them (docs/specification.md#the-use-of-tenants).
 */
import { activeSince, measure } from '../engine/tenant/usage.ts';
import type { Store } from '../store/records.ts';
import { putUsages, staleUsages } from '../store/usages.ts';

/** How many tenants are measured at the same time, and written by one statement. */
const BATCH = 200;
/** How old a row of a tenant that is not active may become. */
const STALE_MS = 60_000;
/** The most rows of such tenants that one turn writes. */
const MAX_STALE = 2000;

/**
 * Copies the numbers of tenants that have been active since a time, and of those whose numbers change by themselves.
 * @param sinceMs ms since 1970 UTC
 * @returns how many tenants
 * @throws HoldfastError unavailable
 */
export async function copyUsages(store: Store, sinceMs: number): Promise<number> {
  const active = await activeSince(store.redis, sinceMs);
  const stale = await staleUsages(store, new Date(Date.now() - STALE_MS), MAX_STALE);
  const tenants = [...new Set([...active.keys(), ...stale])];
  for (let i = 0; i < tenants.length; i += BATCH) {
    const measured = await Promise.all(tenants.slice(i, i + BATCH).map((tenant) => measure(store.redis, tenant)));
    await putUsages(
      store,
      measured.map((one) => ({ ...one, activeAtMs: active.get(one.tenant) ?? null })),
    );
  }
  return tenants.length;
}
