/**
 * Computes the waits that one more slot of a pool would have saved: it serves the requests of the past again, as
 * they came, with as many slots and with one more. No I/O. Times are ms since 1970 UTC.
 */

/** A reservation that ended. */
interface Served {
  /** null: a wait that came to nothing */
  readonly reservedAt: number | null;
  readonly endedAt: number;
  /** null: it did not wait */
  readonly waitedMs: number | null;
  readonly slots: readonly string[];
}

export interface OneMore {
  /** Requests that waited, and how long all of them did. */
  readonly waited: number;
  readonly waitedMs: number;
  /**
   * Of these, how many the slots of today would have kept waiting. With much fewer, the pool was smaller then, or
   * something else was in the way.
   */
  readonly waitedToday: number;
  /** How many, and how long, with one slot more than today. */
  readonly waitedThen: number;
  readonly waitedThenMs: number;
}

/** Returns whether the slots of today would have kept half of those waiting that waited. */
export const explainsWaits = ({ waited, waitedToday }: OneMore): boolean => 2 * waitedToday >= waited;

interface Asked {
  readonly at: number;
  readonly heldMs: number;
  readonly slots: number;
  readonly waitedMs: number;
}

/**
 * Works it out. A wait that came to nothing counts as one for a slot, for as long as others held theirs on average.
 * @param entries in any order
 * @param capacity the number of slots
 */
export function withOneMore(entries: readonly Served[], capacity: number): OneMore {
  const held = entries.flatMap(({ reservedAt, endedAt }) => (reservedAt === null ? [] : [endedAt - reservedAt]));
  const meanMs = held.length === 0 ? 0 : held.reduce((sum, ms) => sum + ms, 0) / held.length;
  const asked = entries
    .map(({ reservedAt, endedAt, waitedMs, slots }): Asked => {
      const waited = waitedMs ?? 0;
      return reservedAt === null
        ? { at: endedAt - waited, heldMs: meanMs, slots: 1, waitedMs: waited }
        : { at: reservedAt - waited, heldMs: endedAt - reservedAt, slots: slots.length, waitedMs: waited };
    })
    .sort((one, other) => one.at - other.at);
  const now = waitsOf(asked, capacity);
  const then = waitsOf(asked, capacity + 1);
  // Requests do not always come in the order of the queue, so the difference counts, from what really was.
  const real = asked.filter(({ waitedMs }) => waitedMs > 0);
  const realMs = real.reduce((sum, { waitedMs }) => sum + waitedMs, 0);
  return {
    waited: real.length,
    waitedMs: realMs,
    waitedToday: Math.min(real.length, now.waited),
    waitedThen: Math.round(real.length * ratioOf(then.waited, now.waited)),
    waitedThenMs: realMs * ratioOf(then.waitedMs, now.waitedMs),
  };
}

const ratioOf = (then: number, now: number): number => (now === 0 ? 0 : Math.min(1, then / now));

/** Serves requests in their order, each as soon as enough slots are free. */
function waitsOf(asked: readonly Asked[], capacity: number): { readonly waited: number; readonly waitedMs: number } {
  const freeAt = Array.from({ length: capacity }, () => 0);
  let [waited, waitedMs] = [0, 0];
  for (const { at, heldMs, slots } of asked) {
    freeAt.sort((one, other) => one - other);
    const count = Math.min(slots, capacity);
    const start = Math.max(at, freeAt[count - 1] ?? 0);
    freeAt.fill(start + heldMs, 0, count);
    if (start > at) {
      waited++;
      waitedMs += start - at;
    }
  }
  return { waited, waitedMs };
}
