/**
 * When those who wait can expect their turn: after the leases that are in the way and those ahead of them, each for as
 * long as it asked for, and never across a booking. Holders may renew or release, so pages say "about". No I/O. Times
 * are ms since 1970 UTC.
 */
import { nextFit, type Stretch } from './fit.ts';

/** A reservation of one slot, or a slot that is booked. */
export interface Lease {
  /** null: nobody knows, as without an end or while a session is kept. A time that is over: the slot is free */
  readonly endsAtMs: number | null;
  /** The bookings of the slot. */
  readonly booked?: readonly Stretch[];
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
 * @param leases one for each slot that is held or booked
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
  const free: Slot[] = leases.map(({ endsAtMs, booked = [] }) => ({
    ms: endsAtMs === null ? Number.POSITIVE_INFINITY : Math.max(nowMs, endsAtMs),
    booked,
  }));
  while (free.length < capacity) free.push({ ms: nowMs, booked: [] });
  // Of too many held slots, those that become free first are not given to anybody.
  let surplus = free.length - capacity;
  return tickets.map(({ ttlMs, count, isApart = false }) => {
    if (isApart) return UNKNOWN;
    const length = ttlMs ?? Number.POSITIVE_INFINITY;
    const { order, startMs } = firstTogether(free, surplus, count, length);
    const slots = order.slice(surplus, surplus + count);
    // A request whose turn nobody knows keeps no place: smaller ones pass it.
    if (slots.length < count || startMs === Number.POSITIVE_INFINITY) return UNKNOWN;
    for (const slot of order.slice(0, surplus)) free[slot] = { ms: Number.POSITIVE_INFINITY, booked: [] };
    surplus = 0;
    for (const slot of slots) free[slot] = { ms: startMs + length, booked: free[slot]?.booked ?? [] };
    return { startMs, endMs: ttlMs === null ? null : startMs + length, slots };
  });
}

/** When a slot becomes free, and what is booked of it. */
interface Slot {
  readonly ms: number;
  readonly booked: readonly Stretch[];
}

/**
 * Finds the first moment at which as many slots fit as a request wants.
 * @param surplus slots that are not given to anybody
 * @returns the slots, the first to fit first, and the moment; Infinity: nobody knows
 */
function firstTogether(
  free: readonly Slot[],
  surplus: number,
  count: number,
  length: number,
): { readonly order: readonly number[]; readonly startMs: number } {
  let startMs = 0;
  for (;;) {
    const fits = free
      .map(({ ms, booked }, slot) => ({ slot, freeMs: ms, ms: nextFit(booked, Math.max(ms, startMs), length) }))
      .sort((one, other) => one.ms - other.ms || one.freeMs - other.freeMs || one.slot - other.slot);
    const last = fits[surplus + count - 1]?.ms ?? Number.POSITIVE_INFINITY;
    const isFirst = fits[surplus]?.ms === last;
    if (isFirst || last === Number.POSITIVE_INFINITY) return { order: fits.map(({ slot }) => slot), startMs: last };
    // A slot that fits earlier may be booked by then.
    startMs = last;
  }
}
