/**
 * Copies the counts of refusals from Redis, which keeps some days, to the database (docs/specification.md#refusals).
 */

import { allRefusals } from '../engine/tenant/refusals.ts';
import { activeSince } from '../engine/tenant/usage.ts';
import type { Store } from '../store/records.ts';
import { putRefusals } from '../store/refusals.ts';

const HOUR_MS = 3_600_000;
/** An instance writes its counts up to some seconds after the hour. */
const LATE_MS = 60_000;

const PREFIX = { resource: 'r', limit: 'l', others: 'o' } as const;

/**
 * Copies the hours since a time, of the tenants that have been active since then. A copy that is repeated changes
 * nothing.
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
