/**
 * Any resource that fits, in the model: a match picks the first registered resource that has its labels and can be had
 * (docs/specification.md#any-resource-that-fits).
 */
import type { ReserveItem, ReserveResult } from '../../src/contract/reservations.ts';
import type { Condition } from '../../src/domain/conditions.ts';
import { bookedWhy, type Lasts } from './booked.ts';
import { byCodePoint, Definitions } from './definitions.ts';
import { nothingHad, type Reservation } from './state.ts';

/** An item, and which one it is of those in its request with the same match and requester; absent: the first. */
export type Asked = ReserveItem & {
  nth?: number | undefined;
  minTtlSeconds?: number | undefined;
  /** How long the lease may begin after the grant. */
  claimMs?: number | undefined;
};

export type Match = NonNullable<ReserveItem['match']>;

/** Why a request is refused that would overtake tickets. */
export const KEPT = 'NOT_AVAILABLE: kept for a waiting request';

/** The values of a label of a match, and whether they are wanted. */
const wishOf = (values: Match[string]): { isWanted: boolean; list: readonly string[] } =>
  typeof values === 'object' && 'not' in values
    ? { isWanted: false, list: [values.not].flat() }
    : { isWanted: true, list: [values].flat() };

/** Returns a text that is the same for equal matches. */
export const labelsOf = (match: Match): string => {
  const texts = Object.entries(match).flatMap(([key, values]) => {
    const { isWanted, list } = wishOf(values);
    return list.map((value) => `${key}${isWanted ? '=' : '!='}${value}`);
  });
  return [...new Set(texts)].sort().join(',');
};

/** What an item with a match wants. */
interface Wanting {
  readonly match?: Match | undefined;
  readonly condition?: Condition | undefined;
}

/** Returns a text that is the same for items with equal matches: the condition is a part of them. */
const wishText = ({ match = {}, condition = 'ready' }: Wanting) => `${labelsOf(match)} ${condition}`;

/** The items of a request, each with its place among those with the same match and requester. */
export function numbered<Item extends Wanting & { requester: string }>(items: readonly Item[]) {
  const isSame = (one: Item, other: Item) =>
    !!one.match && !!other.match && one.requester === other.requester && wishText(one) === wishText(other);
  return items.map((item, i) => ({ ...item, nth: items.slice(0, i + 1).filter((one) => isSame(one, item)).length }));
}

export abstract class Matching extends Definitions {
  protected abstract had(name: string, requester: string): Reservation | undefined;
  protected abstract resultOf(
    one: Reservation,
    resource: string,
    status: 'ACQUIRED' | 'ALREADY_HAD',
    asked?: Lasts,
  ): ReserveResult;

  /** The registered resources that have the labels of a match and enough slots, in order of name. */
  fitting(match: Match, count = 1): string[] {
    const fits = (labels: Record<string, string>) =>
      Object.entries(match).every(([key, values]) => {
        const { isWanted, list } = wishOf(values);
        return list.some((value) => labels[key] === value) === isWanted;
      });
    return [...this.definitions]
      .filter(([, { labels = {}, isGroup, capacity }]) => isGroup !== true && capacity >= count && fits(labels))
      .map(([name]) => name)
      .sort(byCodePoint);
  }

  /** The reservations that a requester has by a match, in the order in which it got them. */
  heldByMatch(wanting: Wanting, requester: string): Reservation[] {
    return this.reservations.filter((one) => one.requester === requester && one.match === wishText(wanting));
  }

  /** @param reserve reserves a resource that fits by its name */
  protected reserveAny(
    { match = {}, nth = 1, minTtlSeconds, ...item }: Asked,
    reserve: (named: ReserveItem) => ReserveResult,
  ): ReserveResult {
    const { requester, count, condition } = item;
    const wanting = { match, condition };
    const had = this.heldByMatch(wanting, requester)[nth - 1];
    if (had !== undefined) return this.resultOf(had, had.requestedName, 'ALREADY_HAD', item);
    const fitting = this.fitting(match, count);
    let why = 'NOT_AVAILABLE';
    /** The resource of those booked too early whose booking begins last. */
    let last: { resource: string; bookedFrom: string } | undefined;
    const tryOne = (named: ReserveItem & Pick<Asked, 'minTtlSeconds'>) => {
      const result = reserve(named);
      const made = result.status === 'ACQUIRED' && this.reservations.at(-1);
      if (made) made.match = wishText(wanting);
      return result;
    };
    for (const resource of fitting) {
      if (this.freeOf(resource, condition) === 0 || this.had(resource, requester) !== undefined) continue;
      const result = tryOne({ ...item, resource });
      if (result.status === 'ACQUIRED') return result;
      if (result.explanation === KEPT) why = KEPT;
      const { bookedFrom } = result;
      if (bookedFrom && !(last && last.bookedFrom >= bookedFrom)) last = { resource, bookedFrom };
    }
    if (last && minTtlSeconds !== undefined) {
      const result = tryOne({ ...item, resource: last.resource, minTtlSeconds });
      if (result.status === 'ACQUIRED') return result;
    }
    const booked = last !== undefined && why !== KEPT ? bookedWhy(Date.parse(last.bookedFrom)) : {};
    const [status, explanation] =
      fitting.length === 0
        ? (['NOT_VALID', 'NOT_VALID: no registered resource has all of these labels'] as const)
        : (['NOT_AVAILABLE', why] as const);
    return {
      resource: labelsOf(match),
      requester,
      status,
      explanation,
      ...nothingHad,
      ...booked,
    };
  }
}
