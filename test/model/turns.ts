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

/** Slots that a request must leave: these very slots, and so many free slots of each line. */
export interface Kept {
  readonly slots: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
}

const nameOf = ({ resource, slot }: Entry) => slot ?? resource;
const isSame = (one: Entry, other: Entry) =>
  one.resource === other.resource &&
  one.slot === other.slot &&
  one.owner === other.owner &&
  one.nth === other.nth &&
  one.condition === other.condition;
/** Returns true if a plan can be met by somebody. */
export const isValid = (plan: readonly Entry[]): boolean => plan.length > 0 && plan.every(({ valid }) => valid);
const distinct = (entries: Entry[]) =>
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
  private planOf(item: Request['items'][number], requester: string): Entry[] {
    const { resource, count = 1, mode, condition } = item;
    const meant = this.meaning(resource);
    if (meant === null || this.whyNotSeveral(meant, count) !== null) return [];
    if (mode === 'SHARED' && this.whyNotSharable(meant) !== null) return [];
    if (condition !== undefined && !this.definitions.has(meant.resource)) return [];
    const plan = this.plan(meant.resource, meant.slot, requester, 'own', [], count, mode === 'SHARED', condition);
    return plan.map((entry) => {
      const isOther = entry.role === 'ancestor' || entry.role === 'blocker';
      return condition !== undefined && isOther ? { ...entry, isForCleaning: true } : entry;
    });
  }

  /** The plans of a request's items, without matches, and those that its requester has by an item before. */
  protected plansOf(request: Request): Entry[][] {
    const items = request.items.filter(({ match }) => match === undefined);
    const { requester } = request;
    const meanings = items.map(({ resource }) => this.meaning(resource));
    // A SHARED hold is not enough for an EXCLUSIVE item.
    const isEnough = (before: number, i: number) => !(items[before]?.mode === 'SHARED' && items[i]?.mode !== 'SHARED');
    const isFirst = (i: number) =>
      !meanings.some((one, before) => before < i && isDeepStrictEqual(one, meanings[i]) && isEnough(before, i));
    return items.filter((_, i) => isFirst(i)).map((item) => this.planOf(item, requester));
  }

  /**
   * The entries of a request's plan, in order. A FIRST counts as its first valid item. A request with a match has no
   * plan.
   */
  entriesOf(request: Request): Entry[] {
    if (request.items.some(({ match }) => match !== undefined)) return [];
    if (request.method !== 'FIRST') return this.plansOf(request).flat();
    return request.items.map((item) => this.planOf(item, request.requester)).find(isValid) ?? [];
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
   * that are out of service, since dirty ones come back.
   */
  private slotsFor({ name, condition }: Line): number {
    const others = this.slotNames(name).filter((slot) => {
      const now = this.conditionAt(slot);
      return condition === 'ready' ? now === 'out' : now !== condition;
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
      const there = this.slotsFor(line);
      return there < this.capacityOf(line.name) && keys.size - slots > there;
    });
  }

  /** The tickets that are next, in order. */
  next(): Ticket[] {
    /** Slots that the tickets so far lack: the line in which they count → their number. */
    const lackedAt = new Map<string, { readonly keys: Set<string>; slots: number }>();
    return this.queue.filter((ticket) => {
      if (!this.isAttended(ticket) || this.needsMore(ticket)) return false;
      const lines = this.lackedIn(this.lacks(ticket));
      for (const [key, { line, keys }] of lines) {
        const lacked = lackedAt.get(key) ?? { keys: new Set<string>(), slots: 0 };
        const before = lacked.keys.size;
        for (const one of keys) lacked.keys.add(one);
        lacked.slots += lacked.keys.size - before;
        // The first may want a slot by name that is one of its others, too: it takes no more slots than there are.
        if (before === 0) lacked.slots = Math.min(lacked.slots, this.slotsFor(line));
        lackedAt.set(key, lacked);
      }
      return [...lines].every(
        ([key, { line }]) => (lackedAt.get(key)?.slots ?? 0) <= Math.min(MAX_TURN, this.slotsFor(line)),
      );
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
    ).filter((entry) => !(entry.isShared && nameOf(entry) === shared));
    const lines = [...this.lackedIn(lacks)];
    return {
      slots: new Set(lacks.flatMap(({ slot, condition }) => (slot ? lineKey({ name: slot, condition }) : []))),
      counts: new Map(lines.map(([key, { entries }]) => [key, entries.length])),
    };
  }

  /** The tickets that may wait for what somebody holds who must be able to finish. */
  protected exempting(): Ticket[] {
    return this.next();
  }

  /** Returns true if nothing is kept from a requester, since another's next ticket waits for what it holds. */
  isExempt(requester: string, rank: Rank): boolean {
    const mine = this.reservations.filter((one) => one.requester === requester);
    const held = mine.flatMap(({ own, others }) => [own, ...others]);
    return this.exempting().some((ticket) => {
      const name = ticket.id === rank.id ? null : this.waitsFor(ticket);
      return held.some(({ slot, of }) => slot === name || of === name);
    });
  }

  /** The first thing that a ticket lacks and that is not free, else the first that is kept for others. */
  waitsFor(ticket: Ticket): string | null {
    const lacks = this.lacks(ticket);
    /** Line → number of its free slots that are lacking. */
    const wanted = new Map<string, number>();
    for (const entry of lacks) {
      const { resource, slot, condition } = entry;
      const hold = this.meet(entry, []);
      // A slot that is free while its pool has more holds than its capacity waits for the pool.
      const isSlot = slot !== undefined && (this.holdAt(slot) || this.conditionAt(slot) !== condition);
      if (hold === null) return isSlot ? slot : resource;
      if (this.holds.includes(hold)) continue;
      const key = lineKey({ name: resource, condition });
      const count = (wanted.get(key) ?? 0) + 1;
      if (count > this.freeOf(resource, condition)) return resource;
      wanted.set(key, count);
    }
    const kept = distinct(this.entriesOf(ticket)).find((entry) => {
      const { resource, slot, condition } = entry;
      const { slots, counts } = this.keptAhead(ticket, entry.isShared && nameOf(entry), entry.isForCleaning);
      const isLacked = lacks.some((other) => isSame(entry, other));
      if (!isLacked && !this.isJoinedBy(ticket.requester, entry)) return false;
      const isNew = (other: Entry) => !other.isShared || this.holdAt(nameOf(other)) === undefined;
      const isOfLine = (other: Entry) => other.resource === resource && other.condition === condition;
      const wanted = lacks.filter((other) => isOfLine(other) && isNew(other)).length;
      const left = this.freeOf(resource, condition) - wanted;
      return (
        (slot !== undefined && slots.has(lineKey({ name: slot, condition }))) ||
        left < (counts.get(lineKey({ name: resource, condition })) ?? 0)
      );
    });
    return kept === undefined ? null : nameOf(kept);
  }

  /** Returns true if a requester would join a blocker's hold, which none of its reservations uses yet. */
  private isJoinedBy(requester: string, entry: Entry): boolean {
    const hold = entry.role === 'blocker' && this.meet(entry, []);
    const mine = this.reservations.filter((one) => one.requester === requester);
    return !!hold && !mine.some(({ own, others }) => [own, ...others].some(({ slot }) => slot === hold.slot));
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
