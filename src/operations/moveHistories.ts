/**
 * Moves the histories of all tenants that have entries in Redis to the database (docs/specification.md#history): a
 * batch of each tenant in turn, so that a long one does not delay the others.
 */
import { HoldfastError } from '../domain/errors.ts';
import type { TierTable } from '../domain/tiers.ts';
import { addWaiting, takeWaiting, type WaitingHistory } from '../engine/history/stream.ts';
import { activeSince } from '../engine/tenant/usage.ts';
import { moveHistory } from '../store/moveHistory.ts';
import type { Store } from '../store/records.ts';

/** Tenants that are moved at the same time. */
const AT_ONCE = 3;

/**
 * @param sinceMs tenants that have been active since then are looked at, in ms since 1970 UTC
 * @param withinMs how long it may take. What is left waits for the next turn
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
