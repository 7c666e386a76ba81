/**
 * When those who wait can expect their turn: after the leases that are in the way and those ahead of them, each for as
 * long as it asked for. Holders may renew or release, so pages say "about". No I/O. Times are ms since 1970 UTC.
 */

/** A reservation of one slot. */
export interface Lease {
  /** null: nobody knows, as without an end or while a session is kept */
  readonly endsAtMs: number | null;
}

/** A request that waits. */
export interface Ticket {
  /** The lease that it asks for; null: without an end */
  readonly ttlMs: number | null;
  /** How many slots it wants. */
  readonly count: number;
  /** True if it wants slots that others do not get, such as dirty ones: nobody knows when there are any. */
  readonly isApart?: boolean;
}

export interface Expected {
  /** null: unknown */
  readonly startMs: number | null;
  /** null: unknown, or it has no end */
  readonly endMs: number | null;
  /** The slots that it is expected to get, by their places among the leases and the free slots after them. */
  readonly slots: readonly number[];
}

const UNKNOWN: Expected = { startMs: null, endMs: null, slots: [] };

/**
 * @param leases one for each held slot
 * @param capacity of the resource; more slots may be held after it was lowered
 * @param tickets in the order of the queue
 * @returns for each ticket, in their order
 */
export function expectedTimes(
  leases: readonly Lease[],
  capacity: number,
  tickets: readonly Ticket[],
  nowMs: number,
): Expected[] {
  const free = leases.map(({ endsAtMs }) => (endsAtMs === null ? Number.POSITIVE_INFINITY : Math.max(nowMs, endsAtMs)));
  while (free.length < capacity) free.push(nowMs);
  // Of too many held slots, those that become free first are not given to anybody.
  let surplus = free.length - capacity;
  return tickets.map(({ ttlMs, count, isApart = false }) => {
    if (isApart) return UNKNOWN;
    const order = free
      .map((ms, slot) => ({ ms, slot }))
      .sort((one, other) => one.ms - other.ms || one.slot - other.slot);
    const slots = order.slice(surplus, surplus + count);
    const startMs = slots.at(-1)?.ms ?? Number.POSITIVE_INFINITY;
    // A request whose turn nobody knows keeps no place: smaller ones pass it.
    if (slots.length < count || startMs === Number.POSITIVE_INFINITY) return UNKNOWN;
    const endMs = ttlMs === null ? Number.POSITIVE_INFINITY : startMs + ttlMs;
    for (const { slot } of order.slice(0, surplus)) free[slot] = Number.POSITIVE_INFINITY;
    surplus = 0;
    for (const { slot } of slots) free[slot] = endMs;
    return { startMs, endMs: ttlMs === null ? null : endMs, slots: slots.map(({ slot }) => slot) };
  });
}
