/**
 * What tickets keep from others in the model: slots of bookable resources; who is exempt from it; and what each ticket
 * waits for (docs/specification.md#waiting-order).
 */
import type { Entry } from './plans.ts';
import { lineKey } from './state.ts';
import { isAhead, type Rank, type Ticket } from './tickets.ts';
import { distinct, isSame, nameOf, Turns } from './turns.ts';

export class Keeping extends Turns {
  /**
   * What the next tickets ahead of a rank keep of bookable resources, each in turn as if it were granted: lines of free
   * slots, and lines in which one lacks more than it can keep.
   * @param asked what is asked for there, and by whom: its own tickets keep nothing from it that this gives them
   * @param taken the slots that it gets
   * @param released the slots that the request has released itself, which are not kept from it
   */
  bookableKept(
    rank: Rank,
    asked?: Pick<Entry, 'resource' | 'slot' | 'isShared'> & { requester: string },
    taken: readonly string[] = [],
    released: ReadonlySet<string> = new Set(),
  ) {
    const [slots, short] = [new Set<string>(), new Set<string>()];
    /** Released slots that they would get, and slots by which needs are met that keep nothing. */
    const [given, met] = [new Set<string>(), new Set<string>()];
    /** What one owner lacks counts once. */
    const seen: Entry[] = [];
    for (const ticket of this.next().filter((one) => one.id !== rank.id && isAhead(one, rank))) {
      const isMet = (entry: Entry) =>
        asked !== undefined &&
        entry.resource === asked.resource &&
        ((ticket.requester === asked.requester &&
          (entry.slot === asked.slot || taken.includes(entry.slot ?? '')) &&
          (asked.isShared !== true || entry.isShared === true)) ||
          (asked.isShared === true && entry.isShared === true && entry.slot === asked.slot));
      const lacksAll = this.lacks(ticket).filter(({ term }) => term !== undefined);
      for (const { slot } of lacksAll.filter(isMet)) if (slot !== undefined) met.add(slot);
      const lacks = lacksAll.filter((entry) => !isMet(entry) && !seen.some((other) => isSame(entry, other)));
      seen.push(...lacks);
      // Those that it names come first.
      for (const entry of lacks.toSorted((a, b) => Number(a.slot === undefined) - Number(b.slot === undefined))) {
        const { condition, resource, slot, term } = entry;
        if (term === undefined) continue;
        const lineOf = (name: string) => lineKey({ name, condition });
        const firstOf = (isLeft: (one: string) => boolean) => {
          const free = this.freeFor(entry, 1).filter((one) => slot !== undefined || !met.has(one));
          const choice = this.choose(free.filter(isLeft), 1, term);
          return choice !== null && 'slots' in choice ? choice.slots[0] : undefined;
        };
        const first = firstOf((one) => !released.has(one) && !slots.has(lineOf(one)));
        const own = first === undefined ? firstOf((one) => released.has(one) && !given.has(one)) : undefined;
        if (first !== undefined) slots.add(lineOf(first));
        else if (own !== undefined) given.add(own);
        else short.add(lineOf(slot ?? resource));
      }
    }
    return { slots, short };
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
      const isSlot =
        slot !== undefined &&
        (this.holdAt(slot) || this.conditionAt(slot) !== condition || entry.fits?.(slot) === false);
      if (hold === null) return isSlot ? slot : resource;
      if (this.holds.includes(hold)) continue;
      const key = lineKey({ name: resource, condition });
      const count = (wanted.get(key) ?? 0) + 1;
      if (count > this.freeAt(entry)) return resource;
      wanted.set(key, count);
    }
    const kept = distinct(this.entriesOf(ticket)).find((entry) => {
      const { resource, slot, condition } = entry;
      const ahead = this.keptAhead(ticket, entry.isShared && nameOf(entry), entry.isForCleaning);
      const asked = { ...entry, requester: ticket.requester };
      const slots = entry.term === undefined ? ahead.slots : this.bookableKept(ticket, asked).slots;
      const isLacked = lacks.some((other) => isSame(entry, other));
      if (!isLacked && !this.isJoinedBy(ticket.requester, entry)) return false;
      const isNew = (other: Entry) => !other.isShared || this.holdAt(nameOf(other)) === undefined;
      const isOfLine = (other: Entry) => other.resource === resource && other.condition === condition;
      const wanted = lacks.filter((other) => isOfLine(other) && isNew(other)).length;
      const left = this.freeAt(entry, slots) - wanted;
      return (
        (slot !== undefined && slots.has(lineKey({ name: slot, condition }))) ||
        left < (ahead.counts.get(lineKey({ name: resource, condition })) ?? 0)
      );
    });
    if (kept === undefined) return null;
    // The pool, if it is kept for those that want any slot of it.
    const { slot, resource, condition, term } = kept;
    const isByName = term === undefined && slot !== undefined;
    const { slots } = this.keptAhead(ticket, kept.isShared && nameOf(kept), kept.isForCleaning);
    return isByName && slots.has(lineKey({ name: slot, condition })) ? slot : resource;
  }

  /** The number of free slots for an entry; of a bookable resource, of those that it fits and that are not kept. */
  private freeAt(entry: Entry, kept: ReadonlySet<string> = new Set()): number {
    const { resource, condition, slot, fits } = entry;
    if (fits === undefined) return this.freeOf(resource, condition);
    if (slot !== undefined) return Number.POSITIVE_INFINITY;
    const isFree = (one: string) => fits(one) && !kept.has(lineKey({ name: one, condition }));
    return this.freeFor(entry, 1).filter(isFree).length;
  }

  /** Returns true if a requester would join a blocker's hold, which none of its reservations uses yet. */
  private isJoinedBy(requester: string, entry: Entry): boolean {
    const hold = entry.role === 'blocker' && this.meet(entry, []);
    const mine = this.reservations.filter((one) => one.requester === requester);
    return !!hold && !mine.some(({ own, others }) => [own, ...others].some(({ slot }) => slot === hold.slot));
  }
}
