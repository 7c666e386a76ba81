/**
 * Slots that tickets lack, the tickets whose turn has come, and the slots that are kept for them
 * (docs/specification.md#waiting-order).
 */
import { isDeepStrictEqual } from 'node:util';
import { Model } from './model.ts';
import type { Entry } from './plans.ts';
import { isAhead, type Rank, type Request, sessionOf, type Ticket } from './tickets.ts';

/** A ticket's turn never comes behind more lacked slots than these, however many the resource has. */
const MAX_TURN = 64;
/** Time for which an instance counts as alive after a beat. */
const BEAT_MS = 6000;

/** Slots that a request must leave: these very slots, and so many free slots of each resource. */
export interface Kept {
  readonly slots: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
}

const nameOf = ({ resource, slot }: Entry) => slot ?? resource;
const isSame = (one: Entry, other: Entry) =>
  one.resource === other.resource && one.slot === other.slot && one.owner === other.owner && one.nth === other.nth;
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
  private planOf({ resource, match, count = 1, mode }: Request['items'][number], requester: string): Entry[] {
    if (match !== undefined) return [];
    const meant = this.meaning(resource);
    if (meant === null || this.whyNotSeveral(meant, count) !== null) return [];
    if (mode === 'SHARED' && this.whyNotSharable(meant) !== null) return [];
    return this.plan(meant.resource, meant.slot, requester, 'own', [], count, mode === 'SHARED');
  }

  /** The plans of a request's items, without those that its requester has by an item before. */
  protected plansOf({ requester, items }: Request): Entry[][] {
    const meanings = items.map(({ resource }) => this.meaning(resource));
    // A SHARED hold is not enough for an EXCLUSIVE item.
    const isEnough = (before: number, i: number) => !(items[before]?.mode === 'SHARED' && items[i]?.mode !== 'SHARED');
    const isFirst = (i: number) =>
      !meanings.some((one, before) => before < i && isDeepStrictEqual(one, meanings[i]) && isEnough(before, i));
    return items.filter((_, i) => isFirst(i)).map((item) => this.planOf(item, requester));
  }

  /** The entries of a request's plan, in order. A FIRST counts as its first valid item. */
  entriesOf(request: Request): Entry[] {
    if (request.method !== 'FIRST') return this.plansOf(request).flat();
    return request.items.map((item) => this.planOf(item, request.requester)).find(isValid) ?? [];
  }

  /** The entries of a request's plan that their owners do not hold, in order. */
  lacks(request: Request): Entry[] {
    return distinct(this.entriesOf(request)).filter(({ resource, slot, owner, role, isShared }) => {
      if (isShared) return !this.isHolder(slot ?? resource, request.requester);
      if (role === 'moreSlot') return this.had(resource, owner) === undefined;
      return slot === undefined ? this.assigned(resource, owner) === undefined : this.holdAt(slot)?.owner !== owner;
    });
  }

  /** Returns true if a requester holds a slot, alone or with others. */
  private isHolder(slot: string, requester: string): boolean {
    return this.holdAt(slot)?.owner === requester || this.sharing(slot).some((one) => one.requester === requester);
  }

  /** The names at which a lacked entry counts: one that names a slot counts at its pool while that is free. */
  private countsAt({ resource, slot }: Entry): string[] {
    if (slot === undefined) return [resource];
    return this.holdAt(slot) === undefined ? [slot, resource] : [slot];
  }

  /** The tickets that are next, in order. */
  next(): Ticket[] {
    /** Slots that the tickets so far lack: the name at which they count → their number. */
    const lackedAt = new Map<string, { readonly keys: Set<string>; slots: number }>();
    return this.queue.filter((ticket) => {
      if (!this.isAttended(ticket)) return false;
      const lacks = this.lacks(ticket);
      const names = new Set(lacks.flatMap((entry) => this.countsAt(entry)));
      for (const name of names) {
        const lacked = lackedAt.get(name) ?? { keys: new Set<string>(), slots: 0 };
        const before = lacked.keys.size;
        for (const entry of lacks.filter((one) => this.countsAt(one).includes(name)))
          lacked.keys.add(JSON.stringify([entry.resource, entry.slot, entry.owner, entry.nth]));
        lacked.slots += lacked.keys.size - before;
        // The first may want a slot by name that is one of its others, too: it takes no more slots than there are.
        if (before === 0) lacked.slots = Math.min(lacked.slots, this.capacityOf(name));
        lackedAt.set(name, lacked);
      }
      return [...names].every((name) => (lackedAt.get(name)?.slots ?? 0) <= Math.min(MAX_TURN, this.capacityOf(name)));
    });
  }

  /**
   * Slots that are kept for the next tickets ahead of a rank.
   * @param shared the slot that is to be held SHARED; what others lack there to hold it SHARED does not count
   */
  keptAhead(rank: Rank, shared?: string): Kept {
    const ahead = this.next().filter((ticket) => ticket.id !== rank.id && isAhead(ticket, rank));
    const lacks = distinct(ahead.flatMap((ticket) => this.lacks(ticket))).filter(
      (entry) => !(entry.isShared && nameOf(entry) === shared),
    );
    const names = lacks.flatMap((entry) => [entry.resource, nameOf(entry)]);
    return {
      slots: new Set(lacks.flatMap(({ slot }) => slot ?? [])),
      counts: new Map(names.map((name) => [name, lacks.filter((entry) => this.countsAt(entry).includes(name)).length])),
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
    /** Resource → number of its free slots that are lacking. */
    const wanted = new Map<string, number>();
    for (const entry of lacks) {
      const { resource, slot } = entry;
      const hold = this.meet(entry, []);
      // A slot that is free while its pool has more holds than its capacity waits for the pool.
      if (hold === null) return slot !== undefined && this.holdAt(slot) ? slot : resource;
      if (this.holds.includes(hold)) continue;
      const count = (wanted.get(resource) ?? 0) + 1;
      if (count > this.freeOf(resource)) return resource;
      wanted.set(resource, count);
    }
    const kept = distinct(this.entriesOf(ticket)).find((entry) => {
      const { resource, slot } = entry;
      const { slots, counts } = this.keptAhead(ticket, entry.isShared && nameOf(entry));
      const isLacked = lacks.some((other) => isSame(entry, other));
      if (!isLacked && !this.isJoinedBy(ticket.requester, entry)) return false;
      const isNew = (other: Entry) => !other.isShared || this.holdAt(nameOf(other)) === undefined;
      const wanted = lacks.filter((other) => other.resource === resource && isNew(other)).length;
      return (slot !== undefined && slots.has(slot)) || this.freeOf(resource) - wanted < (counts.get(resource) ?? 0);
    });
    return kept === undefined ? null : nameOf(kept);
  }

  /** Returns true if a requester would join a blocker's hold, which none of its reservations uses yet. */
  private isJoinedBy(requester: string, entry: Entry): boolean {
    const hold = entry.role === 'blocker' && this.meet(entry, []);
    const mine = this.reservations.filter((one) => one.requester === requester);
    return !!hold && !mine.some(({ own, others }) => [own, ...others].some(({ slot }) => slot === hold.slot));
  }

  freeOf(resource: string): number {
    return Math.max(0, this.capacityOf(resource) - this.heldOf(resource).length);
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
