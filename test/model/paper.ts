/**
 * Requests in the model that may not overtake: each is carried out on paper, and undone if it takes what is kept for
 * tickets ahead of it (docs/specification.md#waiting-order).
 */
import type { ReserveResult, TransactionItem, TransactionResult } from '../../src/contract/reservations.ts';
import type { Condition } from '../../src/domain/conditions.ts';
import type { TransactionMethod } from '../../src/domain/reservations.ts';
import { Keeping } from './keeping.ts';
import { type Asked, KEPT, numbered } from './matching.ts';
import { type Hold, lineKey, nothingHad, type Reservation, type State } from './state.ts';
import { LAST, type Rank, type Request } from './tickets.ts';
import { isValid } from './turns.ts';

const SUCCESS = ['ACQUIRED', 'ALREADY_HAD', 'RELINQUISHED', 'NOT_RESERVED'];

export const isSuccess = ({ status }: { status: string }): boolean => SUCCESS.includes(status);

/** Lines without those of released slots. */
const without = (lines: ReadonlySet<string>, released: ReadonlySet<string>) =>
  new Set([...lines].filter((line) => !released.has(line.slice(line.indexOf(' ') + 1))));

interface Before {
  reservations: Reservation[];
  holds: Hold[];
  conditions: State['conditions'];
  fence: number;
}

/** The result of an item of a transaction that is not kept. */
export function undone(
  { requestType, resource, requester }: TransactionItem,
  explanation: string,
): TransactionResult['results'][number] {
  const common = { resource, requester, status: 'NOT_AVAILABLE' as const, explanation };
  return requestType === 'UNRESERVE' ? { ...common, released: null } : { ...common, ...nothingHad };
}

export class Paper extends Keeping {
  /** Reserves one item at a rank. */
  override reserve(item: Asked, token: string | null, rank: Rank = LAST): ReserveResult {
    return this.take(item, token, this.before(), rank, this.isExempt(item.requester, rank));
  }

  /** Carries out a transaction at a rank. */
  override transaction(
    method: TransactionMethod,
    items: readonly TransactionItem[],
    tokens: readonly (string | null)[],
    rank: Rank = LAST,
  ): TransactionResult {
    const before = this.before();
    const requesters = [...new Set(items.map(({ requester }) => requester))];
    const exempt = new Set(requesters.filter((one) => this.isExempt(one, rank)));
    const isWhole = method === 'ALL_OR_NONE';
    this.fenceBefore = this.fence;
    let results = this.takeItems(method, items, tokens, rank, isWhole ? new Set() : exempt, exempt);
    if (isWhole && exempt.size > 0 && results.some(({ explanation }) => explanation === KEPT)) {
      this.undo(before);
      results = this.takeItems(method, items, tokens, rank, exempt, exempt);
    }
    this.fenceBefore = Number.POSITIVE_INFINITY;
    const isDone = isWhole ? results.every(isSuccess) : method === 'AS_MANY_AS_POSSIBLE' || results.some(isSuccess);
    if (isDone) return { method, status: 'APPLIED', results };
    this.undo(before);
    const undoneItems = results.map((result, i) => {
      const item = items[i];
      return item !== undefined && isSuccess(result) ? undone(item, 'ROLLED_BACK') : result;
    });
    return { method, status: 'ROLLED_BACK', results: undoneItems };
  }

  /**
   * Carries out the items of a transaction. Of an ALL_OR_NONE, the first one fails if all together overtake. What a
   * match picks is judged when it is picked.
   * @param exempt the requesters that may overtake
   * @param exemptByMatch those that may do so by a match
   */
  private takeItems(
    method: TransactionMethod,
    items: readonly TransactionItem[],
    tokens: readonly (string | null)[],
    rank: Rank,
    exempt: ReadonlySet<string>,
    exemptByMatch: ReadonlySet<string>,
  ): TransactionResult['results'] {
    const before = this.before();
    const released = new Set<string>();
    const isWhole = method === 'ALL_OR_NONE';
    const results: TransactionResult['results'] = [];
    for (const [i, item] of numbered(items).entries()) {
      if (item.requestType === 'UNRESERVE') {
        const result = super.unreserve(item);
        for (const slot of result.released ?? []) released.add(slot);
        results.push(result);
      } else if (method === 'FIRST' && results.some(isSuccess)) {
        results.push(undone(item, 'SKIPPED'));
      } else {
        const isExempt = (item.match === undefined ? exempt : exemptByMatch).has(item.requester);
        results.push(this.take(item, tokens[i] ?? null, before, rank, isExempt, released, isWhole));
      }
    }
    const [first] = items;
    if (isWhole && first && results.every(isSuccess) && this.overtakes(before, rank, released, exempt, true)) {
      results[0] = undone(first, KEPT);
    }
    // If it does not wait, another reason counts more. One that waits ends at its first failing item. What a match
    // picks is judged at once.
    const isLate = (one: (typeof results)[number], i: number) => {
      const item = items[i];
      return one.explanation === KEPT && !(item?.requestType === 'RESERVE' && item.match !== undefined);
    };
    const isElse = isWhole && rank === LAST && results.some((one, i) => !isSuccess(one) && !isLate(one, i));
    return results.map((one, i) => {
      const item = items[i];
      return isElse && item && isLate(one, i) ? undone(item, 'ROLLED_BACK') : one;
    });
  }

  /** Returns true if only a registered resource has the condition that an item asks for, or it asks for none. */
  private isRegisteredFor({ resource, condition }: Request['items'][number]): boolean {
    return condition === undefined || this.definitions.has(this.meaning(resource)?.resource ?? '');
  }

  /** Tells if a request could be carried out if nothing were held, and if only its requester's reservations were. */
  canBeMet({ requester, method, items }: Request): boolean {
    const { reservations, conditions, fence, bookings } = this;
    const isFitting = items.map(({ match, count }) => match && this.fitting(match, count).length > 0);
    if (method === 'FIRST' ? isFitting.includes(true) : isFitting.includes(false)) return method === 'FIRST';
    const named = items.filter(({ match }) => match === undefined);
    if (method !== 'FIRST' && !this.plansOf({ requester, method, items }).every(isValid)) return false;
    const canBe = (held: Reservation[]) => {
      // Slots come into the condition that a request asks for, and so it may wait for that.
      Object.assign(this, { reservations: held, conditions: new Map(), bookings: [] });
      const isRight = (item: Request['items'][number]) => method !== 'FIRST' || this.isRegisteredFor(item);
      const met = named.map(
        (item) => isRight(item) && isSuccess(super.reserve({ ...unconditional(item), requester }, null)),
      );
      Object.assign(this, { reservations, conditions, fence, bookings });
      return method === 'FIRST' ? met.includes(true) : !met.includes(false);
    };
    return canBe([]) && canBe(reservations.filter((one) => one.requester === requester));
  }

  before(): Before {
    const { reservations, holds, conditions, fence } = this;
    return { reservations: [...reservations], holds, conditions: new Map(conditions), fence };
  }

  undo({ reservations, conditions, fence }: Before): void {
    Object.assign(this, { reservations: [...reservations], conditions: new Map(conditions), fence });
  }

  /**
   * Reserves an item, but overtakes only if it is exempt.
   * @param start the state before the whole request
   * @param released slots that the request has released itself
   * @param isPart whether the caller checks the whole request at its end
   * @param from what is judged is what was made since then
   */
  private take(
    item: Asked,
    token: string | null,
    start: Before,
    rank: Rank,
    isExempt: boolean,
    released: ReadonlySet<string> = new Set(),
    isPart = false,
    from = start,
  ): ReserveResult {
    if (item.match !== undefined && this.hasSession(item.session)) {
      const here = this.before();
      return this.reserveAny(item, (named) => this.take(named, token, start, rank, isExempt, released, false, here));
    }
    const before = this.before();
    const keptFrom = (taken: readonly string[]) => {
      const { slots, short } = this.bookableKept(rank, this.askedAt(item), taken, released);
      return { slots: new Set([...without(this.keptAhead(rank).slots, released), ...slots]), short };
    };
    const kept = keptFrom([]);
    const reserve = () => {
      this.keptSlots = kept.slots;
      const result = super.reserve(item, token);
      this.keptSlots = new Set();
      return result;
    };
    const result = reserve();
    if (!isSuccess(result) || result.status === 'ALREADY_HAD') return result;
    const isBookedKept = this.takesKept(before, keptFrom);
    if (!isBookedKept && (isPart || !this.overtakes(start, rank, released, new Set(), false, from))) return result;
    // Of several items, all are tried: another one may fail for another reason, which counts more.
    if (!isPart || isExempt) this.undo(before);
    if (isExempt) return reserve();
    const { resource, requester } = item;
    return { resource, requester, status: 'NOT_AVAILABLE', explanation: KEPT, ...nothingHad };
  }

  /** What an item asks for. */
  private askedAt({ resource: name, requester, mode }: Asked) {
    const meant = this.meaning(name);
    return meant === null ? undefined : { ...meant, requester, ...(mode === 'SHARED' && { isShared: true as const }) };
  }

  /** Returns true if the last reservation has a slot of a bookable resource that is kept, or joins one too early. */
  private takesKept(
    before: Before,
    keptFrom: (taken: readonly string[]) => { slots: ReadonlySet<string>; short: ReadonlySet<string> },
  ): boolean {
    const { holds } = before;
    const made = this.reservations.find((one) => !before.reservations.includes(one));
    if (made === undefined) return false;
    const now = this.before();
    this.undo(before);
    const { slots: kept, short } = keptFrom([made.own.slot, ...(made.details.slots ?? [])]);
    this.undo(now);
    const { own, others, condition = 'ready' } = made;
    return [own, ...others].some((hold) => {
      const resource = this.meaning(hold.slot)?.resource ?? '';
      if (!this.isBookable(resource)) return false;
      if (!holds.includes(hold)) return kept.has(lineKey({ name: hold.slot, condition }));
      return [hold.slot, resource].some((name) => short.has(lineKey({ name, condition })));
    });
  }

  /** Returns true if reservations since `from` take slots that are kept from requesters who are not exempt. */
  private overtakes(
    start: Before,
    rank: Rank,
    released: ReadonlySet<string>,
    exempt: ReadonlySet<string>,
    isWhole = false,
    from = start,
  ): boolean {
    const { reservations, holds } = start;
    const balanceBefore = (name: string, condition: Condition) => {
      const now = this.before();
      this.undo(start);
      const balance = this.balanceOf(name, condition);
      this.undo(now);
      return balance;
    };
    const made = this.reservations.filter(
      (one) => !from.reservations.includes(one) && !exempt.has(one.requester) && !(isWhole && one.match !== undefined),
    );
    return made.some(({ requester, own, others, details, condition: asked = 'ready' as const }) => {
      const mine = reservations.filter((one) => one.requester === requester).flatMap((one) => [one.own, ...one.others]);
      return [own, ...others].some((hold) => {
        if (this.isBookable(this.meaning(hold.slot)?.resource ?? '')) return false;
        const isNew = !holds.includes(hold);
        const isShared = hold === own && details.mode === 'SHARED';
        const sharedBefore = reservations.filter((one) => one.own === hold && one.details.mode === 'SHARED').length;
        // A transaction may release a SHARED hold and take it again for another requester.
        const isAgain = isShared && sharedBefore >= this.sharing(hold.slot).length;
        const isJoined = !isNew && !isAgain && hold.owner !== requester && !mine.some(({ slot }) => slot === hold.slot);
        const isOwn = hold === own || details.slots?.includes(hold.slot) === true;
        const condition = isOwn ? asked : 'ready';
        const kept = this.keptAhead(rank, isShared ? hold.slot : undefined, !isOwn && asked !== 'ready');
        const isKept = kept.slots.has(lineKey({ name: hold.slot, condition })) && !released.has(hold.slot);
        if ((isJoined || isNew) && isKept) return true;
        // A hold that it joins counts at the resource that its name means now.
        const of = (isJoined ? this.meaning(hold.slot)?.resource : undefined) ?? hold.of;
        return [of, hold.slot].some(
          (name) =>
            this.freeOf(name, condition) < (kept.counts.get(lineKey({ name, condition })) ?? 0) &&
            (isJoined || (isNew && this.balanceOf(name, condition) < balanceBefore(name, condition))),
        );
      });
    });
  }
}

/** Returns an item without the condition that it asks for. */
function unconditional({ condition: _, ...item }: Request['items'][number]) {
  return item;
}
