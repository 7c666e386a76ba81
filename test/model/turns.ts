/**
 * Slots that tickets lack, the tickets whose turn has come, and the slots that are kept for them
 * (docs/specification.md#waiting-order).
 */
import { isDeepStrictEqual } from 'node:util';
import { Model } from './model.ts';
import type { Entry } from './plans.ts';
import { type Line, lineKey } from './state.ts';
import { isAhead, type Rank, type Request, sessionOf, type Ticket } from './tickets.ts';

/** A ticket's turn never comes behind more lacked slots than these, however many the resource has. */
const MAX_TURN = 64;
/** Time for which an instance counts as alive after a beat. */
const BEAT_MS = 6000;
/** A beat is not noted again for so long, in ms. */
const BEATS_APART_MS = 500;

/** Slots that a request must leave: these very slots, and so many free slots of each line. */
export interface Kept {
  readonly slots: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
}

export const nameOf = ({ resource, slot }: Entry) => slot ?? resource;
export const isSame = (one: Entry, other: Entry) =>
  one.resource === other.resource &&
  one.slot === other.slot &&
  one.owner === other.owner &&
  one.nth === other.nth &&
  one.condition === other.condition;
/** Returns true if a plan can be met by somebody. */
export const isValid = (plan: readonly Entry[]): boolean => plan.length > 0 && plan.every(({ valid }) => valid);
export const distinct = (entries: Entry[]) =>
  entries.filter((entry, i) => entries.findIndex((other) => isSame(entry, other)) === i);

export class Turns extends Model {
  tickets: Ticket[] = [];
  /** When each instance beat last. */
  beats: Record<string, number> = {};
  /** The time at which attendance is judged: the due time that is being handled, else now. */
  judgedMs = 0;

  /** The tickets in their order. */
  get queue(): Ticket[] {
    return this.tickets.toSorted((a, b) => (isAhead(a, b) ? -1 : 1));
  }

  /** Notes that an instance is alive. */
  protected noteBeat(instance: string): void {
    const last = this.beats[instance] ?? Number.NEGATIVE_INFINITY;
    if (this.nowMs < last || this.nowMs >= last + BEATS_APART_MS) this.beats[instance] = this.nowMs;
  }

  /** When the ticket's attendance ends, or ended. */
  attendedUntil(ticket: Ticket): number {
    const { calls, claimMs } = ticket;
    if (sessionOf(ticket) !== undefined) return Number.POSITIVE_INFINITY;
    const ends = Object.entries(calls).map(([instance, callEnds]) =>
      Math.min(callEnds, (this.beats[instance] ?? Number.NEGATIVE_INFINITY) + BEAT_MS),
    );
    return Math.max(...ends) + claimMs;
  }

  isDetached(ticket: Ticket): boolean {
    return ticket.call.pollMs === 0 && sessionOf(ticket) === undefined;
  }

  isAttended(ticket: Ticket): boolean {
    return !this.isDetached(ticket) && ticket.awayAt === null && this.attendedUntil(ticket) > this.judgedMs;
  }

  /** The entries of an item's plan; none if the item is not valid. */
  private planOf(item: Request['items'][number], { requester, claimMs }: Request): Entry[] {
    const { resource, count = 1, mode, condition } = item;
    const meant = this.meaning(resource);
    if (meant === null || this.whyNotSeveral(meant, count) !== null) return [];
    if (mode === 'SHARED' && this.whyNotSharable(meant) !== null) return [];
    if (condition !== undefined && !this.definitions.has(meant.resource)) return [];
    const plan = this.plan(meant.resource, meant.slot, requester, 'own', [], count, mode === 'SHARED', condition);
    const isBookable = this.isBookable(meant.resource);
    const term = isBookable ? this.termOf({ requester, ...item }, claimMs) : undefined;
    if (term !== undefined) return plan.map((entry) => ({ ...entry, term, fits: (one) => this.fits(one, term) }));
    return plan.map((entry) => {
      const isOther = entry.role === 'ancestor' || entry.role === 'blocker';
      return condition !== undefined && isOther ? { ...entry, isForCleaning: true } : entry;
    });
  }

  /** The plans of a request's items, without matches, and those that its requester has by an item before. */
  protected plansOf(request: Request): Entry[][] {
    const items = request.items.filter(({ match }) => match === undefined);
    const meanings = items.map(({ resource }) => this.meaning(resource));
    // A SHARED hold is not enough for an EXCLUSIVE item.
    const isEnough = (before: number, i: number) => !(items[before]?.mode === 'SHARED' && items[i]?.mode !== 'SHARED');
    const isFirst = (i: number) =>
      !meanings.some((one, before) => before < i && isDeepStrictEqual(one, meanings[i]) && isEnough(before, i));
    return items.filter((_, i) => isFirst(i)).map((item) => this.planOf(item, request));
  }

  /**
   * The entries of a request's plan, in order. A FIRST counts as its first valid item. A request with a match has no
   * plan.
   */
  entriesOf(request: Request): Entry[] {
    if (request.items.some(({ match }) => match !== undefined)) return [];
    if (request.method !== 'FIRST') return this.plansOf(request).flat();
    return request.items.map((item) => this.planOf(item, request)).find(isValid) ?? [];
  }

  /** The entries of a request's plan that their owners do not hold, in order. */
  lacks(request: Request): Entry[] {
    return distinct(this.entriesOf(request)).filter((entry) => {
      const { resource, slot, owner, role, isShared } = entry;
      if (isShared) {
        const name = slot ?? resource;
        const isUnfit = this.holdAt(name)?.owner === request.requester && this.isUnfit(entry, name, request.requester);
        return isUnfit || !this.isHolder(name, request.requester);
      }
      if (role === 'moreSlot') return this.had(resource, owner) === undefined;
      const hold = slot === undefined ? this.assigned(resource, owner) : this.holdAt(slot);
      return hold?.owner !== owner || this.isUnfit(entry, hold.slot, owner);
    });
  }

  /** Returns true if a slot that an owner holds does not meet an entry, since it has another condition. */
  private isUnfit({ resource, slot, role, condition }: Entry, held: string, owner: string): boolean {
    if (role === 'ancestor' || this.conditionAt(held) === condition) return false;
    return role !== 'own' || this.had(slot ?? resource, owner) === undefined;
  }

  /** Returns true if a requester holds a slot, alone or with others. */
  private isHolder(slot: string, requester: string): boolean {
    return this.holdAt(slot)?.owner === requester || this.sharing(slot).some((one) => one.requester === requester);
  }

  /** The lines in which a lacked entry counts: one that names a slot counts at its pool while it could have that. */
  private countsAt({ resource, slot, condition }: Entry): Line[] {
    const own = { name: slot ?? resource, condition };
    const isFree = slot !== undefined && this.holdAt(slot) === undefined && this.conditionAt(slot) === condition;
    return isFree ? [own, { name: resource, condition }] : [own];
  }

  /** What some entries lack in each line, by its key. One slot meets all entries with the same of `keys`. */
  private lackedIn(entries: readonly Entry[]): Map<string, { line: Line; entries: Entry[]; keys: Set<string> }> {
    const found = new Map<string, { line: Line; entries: Entry[]; keys: Set<string> }>();
    for (const entry of entries) {
      for (const line of this.countsAt(entry)) {
        const one = found.get(lineKey(line)) ?? { line, entries: [], keys: new Set() };
        one.entries.push(entry);
        one.keys.add(JSON.stringify([entry.resource, entry.slot, entry.owner, entry.nth]));
        found.set(lineKey(line), one);
      }
    }
    return found;
  }

  /**
   * The number of slots that there are for the requests of a line, held or not: for those for ready ones, all but those
   * that are out of service, since dirty ones come back. Those that are booked too soon are none for its entries.
   */
  private slotsFor({ name, condition }: Line, entries: readonly Entry[]): number {
    const others = this.slotNames(name).filter((slot) => {
      const now = this.conditionAt(slot);
      const isOther = condition === 'ready' ? now === 'out' : now !== condition;
      return isOther || entries.some(({ fits }) => fits?.(slot) === false);
    });
    return this.capacityOf(name) - others.length;
  }

  /** Returns true if a ticket needs more slots than there are in their conditions. */
  private needsMore(ticket: Ticket): boolean {
    return [...this.lackedIn(this.lacks(ticket)).values()].some(({ line, entries, keys }) => {
      const isBoth = ({ owner, slot }: Entry) =>
        slot !== undefined && entries.some((one) => one.owner === owner && one.slot === undefined && !one.nth);
      const owners = new Set(entries.filter(isBoth).map(({ owner }) => owner));
      const slots = line.name === entries[0]?.resource ? owners.size : 0;
      const there = this.slotsFor(line, entries);
      return there < this.capacityOf(line.name) && keys.size - slots > there;
    });
  }

  /** The tickets that are next, in order. */
  next(): Ticket[] {
    /** Slots that the tickets so far lack: the line in which they count → their number. */
    const lackedAt = new Map<string, { readonly keys: ReadonlySet<string>; readonly slots: number }>();
    return this.queue.filter((ticket) => {
      if (!this.isAttended(ticket) || this.needsMore(ticket)) return false;
      const turns = [...this.lackedIn(this.lacks(ticket))].map(([key, { line, entries, keys }]) => {
        const lacked = lackedAt.get(key) ?? { keys: new Set<string>(), slots: 0 };
        const all = new Set([...lacked.keys, ...keys]);
        const there = this.slotsFor(line, entries);
        const sum = lacked.slots + all.size - lacked.keys.size;
        // The first may want a slot by name that is one of its others, too: it takes no more slots than there are.
        const slots = lacked.keys.size === 0 ? Math.min(sum, there) : sum;
        const isTurn = slots <= Math.min(MAX_TURN, there);
        // Those behind one that fits too few bookable slots may fit more, if any is left.
        const isEnd =
          entries.every(({ term }) => term === undefined) ||
          lacked.slots >= Math.min(MAX_TURN, this.slotsFor(line, []));
        if (isTurn || isEnd) lackedAt.set(key, { keys: all, slots });
        return isTurn;
      });
      return turns.every((isTurn) => isTurn);
    });
  }

  /**
   * Slots that are kept for the next tickets ahead of a rank.
   * @param shared the slot that is to be held SHARED; what others lack there to hold it SHARED does not count
   * @param isForCleaning it is an ancestor or a blocker of what is to be cleaned or repaired: users keep nothing there
   */
  keptAhead(rank: Rank, shared?: string, isForCleaning = false): Kept {
    const ahead = this.next().filter((ticket) => ticket.id !== rank.id && isAhead(ticket, rank));
    const lacks = distinct(
      ahead
        .flatMap((ticket) => this.lacks(ticket))
        .filter((entry) => !isForCleaning || entry.isForCleaning || entry.condition !== 'ready'),
    ).filter((entry) => !(entry.isShared && nameOf(entry) === shared) && entry.term === undefined);
    const lines = [...this.lackedIn(lacks)];
    return {
      slots: new Set(lacks.flatMap(({ slot, condition }) => (slot ? lineKey({ name: slot, condition }) : []))),
      counts: new Map(lines.map(([key, { entries }]) => [key, entries.length])),
    };
  }

  /** Notes what each ticket lacks now. */
  noteLacks(): void {
    for (const ticket of this.tickets) {
      const now = ticket.items.flatMap((item) => this.entriesOf({ ...ticket, method: '', items: [item] }));
      const texts = ticket.items.flatMap(({ match, resource }) => (match === undefined ? [] : resource));
      ticket.lacked = [
        ...new Set([...texts, ...ticket.lacked, ...now.flatMap((entry) => [nameOf(entry), entry.resource])]),
      ];
    }
  }
}
