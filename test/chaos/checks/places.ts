/** Which places a request for a name takes (docs/specification.md#plans), as far as FIXED says. */
import { FIXED, SHIFTING } from '../things.ts';
import { lastOf } from './seen.ts';

/** A resource with one slot, or a pool. */
const DEFINITIONS = new Map(FIXED.map((one) => [one.name, one]));

/** What a request asks for. */
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
