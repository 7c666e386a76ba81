/**
 * A pool never has more slots taken than its capacity (docs/specification.md#plans,
 * docs/specification.md#registration).
 */
import type { Check, Violation } from '../check.ts';
import type { CallOf, History } from '../history.ts';
import { FIXED, SHIFTING } from '../things.ts';
import { type Hold, holdsOf } from './holds.ts';
import { groupBy, outcomeOf } from './outcomes.ts';
import { claimsOf } from './queue.ts';
import { callsOf, lastOf, limited, nameOf, timeOf } from './seen.ts';

export const capacity: Check = {
  name: 'capacity',
  rule: 'A pool never has more slots taken than its capacity, and no slot beyond it.',
  run: (history) => {
    const taken = holdsOf(history).holds.flatMap((hold) => slotsTaken(hold));
    const pools = groupBy(taken, ({ hold, pool }) => JSON.stringify([hold.tenant, pool]));
    const violations = [...pools.values()].flatMap((group) => overfull(group, history));
    return { looked: taken.length, violations: limited(violations) };
  },
};

/** A slot of a pool that a hold has for certain. */
interface Taken {
  readonly hold: Hold;
  readonly pool: string;
  readonly slot: string;
}

const POOLS = new Set<string>([
  ...FIXED.filter(({ capacity = 1 }) => (capacity ?? 1) > 1).map(({ name }) => name),
  ...SHIFTING,
]);

function slotsTaken(hold: Hold): readonly Taken[] {
  return claimsOf(hold).flatMap(({ slot }) => {
    const pool = slot.replace(/_\d+$/, '');
    return POOLS.has(pool) && pool !== slot ? [{ hold, pool, slot }] : [];
  });
}

/**
 * Looks at the pool when each hold was granted: it was among those that were held for certain all the time from when it
 * was asked for until it was known.
 */
function overfull(taken: readonly Taken[], history: History): readonly Violation[] {
  const violations: Violation[] = [];
  const largest = largestCapacity(taken[0]?.pool ?? '', history);
  let open: Taken[] = [];
  for (const one of taken.toSorted((a, b) => a.hold.knownAt - b.hold.knownAt)) {
    const { hold, pool, slot } = one;
    open = open.filter((other) => other.hold.endsFrom > hold.knownAt);
    const most = largest(hold);
    const held = open.filter((other) => other.hold.knownAt < hold.askedAt);
    const slots = new Set([slot, ...held.map((other) => other.slot)]);
    const isBeyond = !hold.resource.endsWith(slot) && Number(slot.slice(pool.length + 1)) >= most;
    if (slots.size > most || isBeyond) {
      const what = `${nameOf(hold)} got ${slot} at ${timeOf(hold.knownAt, history.startedAt)}, while ${pool} had ${most} slots and ${[...slots].join(', ')} were taken`;
      violations.push({ check: 'capacity', what, calls: callsOf([hold, ...held.map((other) => other.hold)]) });
    }
    open.push(one);
  }
  return violations;
}

/** Returns how many slots a pool may have had at most while a hold was asked for. */
function largestCapacity(pool: string, history: History): (hold: Hold) => number {
  const fixed = FIXED.find(({ name }) => name === pool)?.capacity;
  if (typeof fixed === 'number') return () => fixed;
  const changes = history.calls
    .filter((call) => call.verb === 'register')
    .filter((call) => outcomeOf(call) !== 'refused');
  const lost = history.faults.filter(({ loses }) => loses !== 'nothing').map(({ startedAt }) => startedAt);
  return (hold) => {
    const before = changes.filter((call) => call.tenant === hold.tenant && call.invokedAt < hold.knownAt);
    const own = before.filter((call) => capacityIn(call, pool) !== null);
    // The last certain registration, unless a fault may have undone it, replaces all before it.
    const last = own.findLast(
      ({ status, completedAt }) =>
        status === 200 && completedAt < hold.askedAt && !lost.some((at) => at < hold.knownAt),
    );
    const valid = own.filter((call) => !last || call.completedAt > last.invokedAt);
    return Math.max(1, ...valid.map((call) => capacityIn(call, pool) ?? 1));
  };
}

const capacityIn = (call: CallOf<'register'>, pool: string): number | null => {
  const item = call.request.findLast(({ name }) => name === pool);
  return item ? (item.capacity ?? 1) : null;
};

/** Which places a request for a name takes (docs/specification.md#plans), as far as FIXED says. */

/** A resource with one slot, or a pool. */
const DEFINITIONS = new Map(FIXED.map((one) => [one.name, one]));

/** The resources that a request asks for. */
export interface Wanted {
  readonly resource?: string | undefined;
  readonly match?: unknown;
  readonly count?: number | undefined;
}

/** Returns the resources of the plan of a name; of a slot its pool, and the slot. */
export function resourcesOf({ resource, match }: Wanted): readonly string[] {
  if (match !== undefined || resource === undefined)
    return FIXED.filter(({ labels }) => labels).map(({ name }) => name);
  const last = lastOf(resource);
  // Their place in the tree changes.
  if (SHIFTING.some((name) => name === last)) return [last, 'root'];
  const pool = poolOf(last);
  const { treePath, blocks } = DEFINITIONS.get(pool ?? last) ?? {};
  return [...(treePath?.split('>') ?? []), ...(pool === null ? [] : [pool]), last, ...(blocks ?? [])];
}

/** Returns how many slots of a resource requests for these things need at most. */
export const neededAt = (wanted: readonly Wanted[], resource: string): number =>
  wanted.reduce((sum, one) => sum + (resourcesOf(one).includes(resource) ? (one.count ?? 1) : 0), 0);

/**
 * Returns the slots that nobody else may take if a request for these things is next: resources with one slot, slots
 * that are named, and all slots of a pool if it wants all.
 */
export function slotsKeptFor(wanted: readonly Wanted[]): readonly string[] {
  // Nobody knows how many slots these have.
  if (wanted.some(({ resource }) => SHIFTING.some((name) => name === lastOf(resource ?? '').replace(/_\d+$/, ''))))
    return [];
  return wanted.flatMap((one) => {
    const last = lastOf(one.resource ?? '');
    const capacity = capacityOf(last);
    const whole = capacity > 1 && one.count === capacity ? slotsOf(last, capacity) : [];
    return [...resourcesOf(one).filter((name) => capacityOf(name) === 1), ...whole];
  });
}

export const capacityOf = (name: string): number => DEFINITIONS.get(name)?.capacity ?? 1;

const slotsOf = (pool: string, capacity: number) => Array.from({ length: capacity }, (_, i) => `${pool}_${i}`);

/** The pool of a slot; null: the name is not one of a slot. */
function poolOf(name: string): string | null {
  const pool = name.replace(/_\d+$/, '');
  return pool !== name && capacityOf(pool) > 1 ? pool : null;
}
