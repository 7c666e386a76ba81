/**
 * Which resources are used most, which people wait for, and which nobody needs, from the history and the reservations
 * in force (docs/specification.md#usage-of-resources).
 */
import type { PastUse, Pools, PoolsQuery, PoolUsage } from './history.ts';
import { meanOf, p95Of, shareOf } from './usage.ts';

/** Works out the lists from entries in any order. */
export function poolsOf(
  entries: Iterable<PastUse>,
  { fromMs, toMs, known, heldNow, outNow, limit }: PoolsQuery,
): Pools {
  const outMs = new Map(outNow.map((one) => [one.resource, one.outMs]));
  const tallies = new Map<string, Tally>();
  const tallyOf = (resource: string): Tally => {
    const tally = tallies.get(resource) ?? new Tally(resource);
    tallies.set(resource, tally);
    return tally;
  };
  for (const { resource, slots, reservedAt, endedAt, waitedMs, kind } of entries) {
    if (endedAt < fromMs || (reservedAt ?? endedAt) >= toMs) continue;
    const heldMs = reservedAt === null ? 0 : slots.length * (Math.min(endedAt, toMs) - Math.max(reservedAt, fromMs));
    if (kind === 'OUT_OF_SERVICE') {
      outMs.set(resource, (outMs.get(resource) ?? 0) + heldMs);
      continue;
    }
    const tally = tallyOf(resource);
    if (endedAt < toMs) {
      if (waitedMs !== null) tally.waits.push(waitedMs);
      if (kind === 'WAIT') tally.gaveUp++;
    }
    if (reservedAt === null) continue;
    if (reservedAt >= fromMs) tally.reservations++;
    tally.heldMs += heldMs;
  }
  for (const { name: resource, heldMs, reservations } of heldNow) {
    const tally = tallyOf(resource);
    tally.heldMs += heldMs;
    tally.reservations += reservations;
  }
  const all = [...tallies.values()].map((tally) =>
    tally.usage(known.get(tally.resource)?.capacity ?? 1, toMs - fromMs, outMs.get(tally.resource) ?? 0),
  );
  const unused = [...known].flatMap(([name, one]) =>
    one.isTakenAlong || tallies.has(name) || outMs.has(name) ? [] : [name],
  );
  const outOfService = [...outMs].map(([resource, ms]) => ({
    resource,
    share: shareOf(ms, known.get(resource)?.capacity ?? 1, toMs - fromMs),
  }));
  return {
    outOfService: outOfService.sort((a, b) => b.share - a.share || order(a.resource, b.resource)).slice(0, limit),
    byShare: all.toSorted((a, b) => b.share - a.share || order(a.resource, b.resource)).slice(0, limit),
    byWaiting: all
      .filter(({ meanWaitedMs }) => meanWaitedMs !== null)
      .toSorted((a, b) => (b.meanWaitedMs ?? 0) - (a.meanWaitedMs ?? 0) || order(a.resource, b.resource))
      .slice(0, limit),
    unused: unused.toSorted(order).slice(0, limit),
    unusedCount: unused.length,
  };
}

/** The order of the bytes of names, as in the database. */
const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

class Tally {
  readonly resource: string;
  heldMs = 0;
  reservations = 0;
  gaveUp = 0;
  /** Times for which those waited that ended, with or without success. */
  readonly waits: number[] = [];

  constructor(resource: string) {
    this.resource = resource;
  }

  usage(capacity: number, spanMs: number, outMs: number): PoolUsage {
    const { resource, reservations, waits, gaveUp } = this;
    return {
      resource,
      share: shareOf(this.heldMs, capacity, spanMs, outMs),
      reservations,
      meanWaitedMs: meanOf(waits),
      p95WaitedMs: p95Of(waits),
      waited: waits.length - gaveUp,
      gaveUp,
    };
  }
}
