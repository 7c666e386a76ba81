/**
 * Who held most, from the history (docs/specification.md#dashboard-and-sign-in). Names that differ only by a number at
 * their end are one: the runs of a job.
 */
import type { HoldersQuery, HolderUsage, PastUse } from './history.ts';
import { meanOf } from './usage.ts';

/** Returns the name without the number at its end; null: it has none, or nothing else. */
export const jobOf = (requester: string): string | null => /^(.*[^\d])\d+$/s.exec(requester)?.[1] ?? null;

type Entry = PastUse & { readonly requester: string };

/** Works out the list from entries in any order, and from what is held now. */
export function holdersOf(entries: Iterable<Entry>, { fromMs, toMs, heldNow, limit }: HoldersQuery): HolderUsage[] {
  const tallies = new Map<string, Tally>();
  const tallyOf = (requester: string): Tally => {
    const name = jobOf(requester) ?? requester;
    const tally = tallies.get(name) ?? { names: new Set(), heldMs: 0, reservations: 0, waits: [] };
    tallies.set(name, tally);
    tally.names.add(requester);
    return tally;
  };
  for (const { kind, requester, slots, reservedAt, endedAt, waitedMs } of entries) {
    if (kind !== 'RESERVATION' || endedAt < fromMs || reservedAt === null || reservedAt >= toMs) continue;
    const tally = tallyOf(requester);
    tally.heldMs += slots.length * (Math.min(endedAt, toMs) - Math.max(reservedAt, fromMs));
    if (reservedAt >= fromMs) tally.reservations++;
    if (waitedMs !== null && endedAt < toMs) tally.waits.push(waitedMs);
  }
  for (const { name, heldMs, reservations } of heldNow) {
    const tally = tallyOf(name);
    tally.heldMs += heldMs;
    tally.reservations += reservations;
  }
  return [...tallies]
    .map(([name, { names, heldMs, reservations, waits }]) => {
      const [first = name] = names;
      const isOne = names.size === 1;
      return { name: isOne ? first : name, names: names.size, heldMs, reservations, meanWaitedMs: meanOf(waits) };
    })
    .sort((one, other) => other.heldMs - one.heldMs || order(one.name, other.name))
    .slice(0, limit);
}

interface Tally {
  readonly names: Set<string>;
  heldMs: number;
  reservations: number;
  readonly waits: number[];
}

/** The order of the bytes of names, as in the database. */
const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
