/**
 * Plans, as the model makes them: the slots that a reservation needs, in order (docs/specification.md#plans).
 */

import { expect } from 'vitest';
import type { CheckResult } from '../../src/contract/check.ts';
import type { Reason } from '../../src/contract/reservationFields.ts';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import type { WaitingRequest } from '../../src/contract/waiting.ts';
import type { Condition } from '../../src/domain/conditions.ts';
import { Booked, type Choice, type Lasts, type Term } from './booked.ts';
import { type Hold, iso, lineKey, type Reservation, type State } from './state.ts';

export type Entry = {
  resource: string;
  slot?: string;
  owner: string;
  role: 'own' | 'moreSlot' | 'ancestor' | 'blocker';
  /** Of another slot of several: which one it is. */
  nth?: number;
  /** It is to be held SHARED. */
  isShared?: true;
  /** The condition that its slot must have. */
  condition: Condition;
  /** An ancestor or a blocker of what a request wants that cleans or repairs it. */
  isForCleaning?: true;
  /** Of a ticket for a bookable resource: how long it needs its slots. */
  term?: Term;
  /** Of a bookable resource: whether a slot is free for long enough. */
  fits?: (slot: string) => boolean;
  valid: boolean;
  /** Why a blocker cannot be held. */
  never?: 'a group' | 'bookable';
};

export class Plans extends Booked {
  plan(
    resource: string,
    slot: string | undefined,
    owner: string,
    role: 'own' | 'blocker',
    plan: Entry[] = [],
    count = 1,
    isShared = false,
    condition: Condition = 'ready',
  ): Entry[] {
    const ownOwner = isShared ? `system:${slot ?? resource}` : owner;
    const chain: Entry[] = [
      ...this.ancestorsOf(resource)
        .filter((name) => !this.isGroup(name))
        .map(
          (name): Entry => ({
            resource: name,
            owner,
            role: role === 'own' ? 'ancestor' : 'blocker',
            condition: 'ready',
            valid: true,
          }),
        ),
      {
        resource,
        ...(slot === undefined ? {} : { slot }),
        owner: ownOwner,
        role,
        condition,
        valid: true,
        ...(isShared ? { isShared } : {}),
      },
    ];
    const added: Entry[] = [];
    for (const entry of chain) {
      const same = (other: Entry) => other.resource === entry.resource && other.slot === entry.slot && other.valid;
      if (plan.some(same)) continue;
      plan.push(entry);
      added.push(entry);
    }
    for (let nth = 2; nth <= count; nth++)
      plan.push({ resource, owner, role: 'moreSlot', nth, condition, valid: true });
    for (const { resource: declarer } of added) {
      for (const blocker of this.definitions.get(declarer)?.blocks ?? []) {
        const meant = this.meaning(blocker, false);
        const system = `system:${declarer}`;
        const none: Entry = { resource: blocker, owner: system, role: 'blocker', condition: 'ready', valid: false };
        if (meant !== null && this.isGroup(meant.resource)) plan.push({ ...none, never: 'a group' });
        else if (meant !== null && this.isBookable(meant.resource)) plan.push({ ...none, never: 'bookable' });
        else if (meant === null) plan.push(none);
        else this.plan(meant.resource, meant.slot, system, 'blocker', plan);
      }
    }
    return plan;
  }

  /** The slot that meets an entry; null if there is none. */
  meet(entry: Entry, taken: Hold[]): Hold | null {
    const { resource, slot, owner, role, condition, valid, fits = () => true } = entry;
    if (!valid) return null;
    /** Its owner's slot of an ancestor serves again, whatever its condition. */
    const again = (hold: Hold) => (role === 'ancestor' || this.conditionAt(hold.slot) === condition ? hold : null);
    const holds = [...new Set([...this.holds, ...taken])];
    const held = holds.filter((hold) => hold.of === resource || hold.slot === resource);
    if (slot !== undefined) {
      const there = holds.find((hold) => hold.slot === slot);
      if (there !== undefined) return there.owner === owner && fits(slot) ? again(there) : null;
      const isOpen = held.length < this.capacityOf(resource) && this.conditionAt(slot) === condition && fits(slot);
      return isOpen ? { slot, owner, of: resource, byName: true } : null;
    }
    const mine = held.filter((hold) => hold.owner === owner);
    const assigned =
      mine.find((hold) => hold.of === resource && hold.slot !== resource && !hold.byName) ??
      mine.find((hold) => hold.slot === resource);
    const isMoreSlot = role === 'moreSlot';
    if (assigned !== undefined && !isMoreSlot) return again(assigned);
    const isFree = (name: string) => !holds.some((hold) => hold.slot === name);
    const open = this.slotNames(resource).filter(
      (name) => isFree(name) && this.conditionAt(name) === condition && fits(name),
    );
    const unready = this.slotNames(resource).filter((name) => isFree(name) && this.conditionAt(name) !== 'ready');
    if (condition === 'ready' && held.length + unready.length >= this.capacityOf(resource)) return null;
    if (this.capacityOf(resource) === 1)
      return open.length === 0 ? null : { slot: resource, owner, of: resource, byName: false };
    // Those of a bookable resource are chosen already.
    const isKept = (one: string) => entry.fits === undefined && this.keptSlots.has(lineKey({ name: one, condition }));
    const name = open.find((one) => !isKept(one)) ?? open[0];
    return name === undefined ? null : { slot: name, owner, of: resource, byName: isMoreSlot };
  }

  /** The slots that an entry of a bookable resource may have, bookings aside; none if there are fewer than so many. */
  freeFor(entry: Entry, count: number): string[] {
    const { resource, slot, condition } = entry;
    const met = this.meet(entry, []);
    if (met === null) return [];
    if (slot !== undefined || this.capacityOf(resource) === 1 || this.holds.includes(met)) return [met.slot];
    const free = this.slotNames(resource).filter((one) => this.holdAt(one) === undefined);
    const unready = free.filter((one) => this.conditionAt(one) !== 'ready').length;
    const room = this.capacityOf(resource) - this.heldOf(resource).length - unready;
    if (condition === 'ready' && room < count) return [];
    return free.filter((one) => this.conditionAt(one) === condition);
  }

  /** The slots that an item gets of a bookable resource, or why it gets none. Null: bookings have no part in it. */
  protected chooseFor(
    { resource, slot }: { resource: string; slot?: string },
    item: Lasts & { count?: number | undefined; condition?: Condition | undefined; claimMs?: number | undefined },
    isShared: boolean,
  ): Choice | null {
    if (!this.isBookable(resource)) return null;
    const { requester, count = 1, condition, claimMs } = item;
    const [own] = this.plan(resource, slot, requester, 'own', [], 1, isShared, condition);
    const free = own === undefined ? [] : this.freeFor(own, count);
    const term = { ...this.termOf(item, claimMs), isShared };
    const isKept = (one: string) => this.keptSlots.has(lineKey({ name: one, condition: condition ?? 'ready' }));
    const unkept = this.choose(
      free.filter((one) => !isKept(one)),
      count,
      term,
    );
    if (unkept !== null && 'slots' in unkept) return unkept;
    const any = this.choose(free, count, term);
    return any !== null && 'slots' in any ? any : (unkept ?? any);
  }

  /** The lease that a requester is told of, if it is shorter than it asked for. */
  protected cutLease(reservation: Reservation, { ttlSeconds, session }: Lasts): { ttlSeconds?: number } {
    const { own } = reservation;
    const ends = this.endsAt(reservation);
    const isBookable = this.isBookable(
      this.definitions.has(own.of) ? own.of : (this.meaning(own.slot)?.resource ?? ''),
    );
    const isLease = reservation.session === undefined && session === undefined;
    if (!isBookable || ends === null || ttlSeconds === undefined || !isLease) return {};
    const left = ends - this.nowMs;
    return left < ttlSeconds * 1000 ? { ttlSeconds: Math.floor(left / 1000) } : {};
  }

  /** Who holds the one slot that an entry lacks. No field if any slot of a pool would do. */
  protected heldBy({ resource, slot, valid }: Entry): Pick<ReserveResult, 'heldBy'> {
    const isOne = slot !== undefined || this.capacityOf(resource) === 1;
    const hold = valid && isOne ? this.holdAt(slot ?? resource) : undefined;
    if (hold === undefined) return {};
    const { owner, slot: name } = hold;
    const one = this.reservations.find(({ own, details }) => own === hold && details.mode !== 'SHARED');
    return {
      heldBy: {
        resource: name,
        requester: owner.startsWith('system:') ? null : owner,
        since: iso(one?.reservedAt ?? null),
        expiresAt: iso(one ? this.endsAt(one) : null),
        note: null,
      },
    };
  }
}

/**
 * Who is in the way, as the engine says, against the reservations of the model
 * (docs/specification.md#who-is-in-the-way).
 */

type Holder = Reason['holders'][number];

/** Returns true if somebody holds a slot as the engine says: by that reservation, or at all if that is not known. */
const isTrue = ({ requester, resource, slot, since, until }: Holder, state: State): boolean =>
  state.reservations.some((one) => {
    const holds = [one.own, ...one.others].some((hold) => hold.slot === slot);
    if (one.requester !== requester || !holds) return false;
    if (since === null) return resource === null && until === null;
    return one.requestedName === resource && iso(one.reservedAt) === since && iso(state.endsAt(one)) === until;
  });

/** @param requesters who waits */
function expectTrue(reason: Reason, state: State, requesters: readonly string[]): void {
  const { kind, resource, holders, more, next } = reason;
  // It tells of bookings, whose conflicts are compared as such.
  if (kind === 'BOOKING') return;
  expect(
    holders.filter((holder) => !isTrue(holder, state)),
    'holders that hold nothing',
  ).toEqual([]);
  for (const { requester } of next) expect(requesters).toContain(requester);
  const isHeld = state.holds.some(({ slot, of, owner }) => {
    return (slot === resource || of === resource) && !owner.startsWith('system:');
  });
  if (kind !== 'QUEUE' && isHeld) expect(holders.length + more, 'number of holders').toBeGreaterThan(0);
}

/** Takes the reasons off results, once they are found to be true. */
export function withoutReasons<Row extends CheckResult | WaitingRequest>(
  rows: readonly Row[],
  state: State,
  requesters: readonly string[],
): Omit<Row, 'reason'>[] {
  return rows.map(({ reason, ...row }) => {
    if (reason !== undefined) expectTrue(reason, state, requesters);
    if ('reservable' in row && row.reservable === true) expect(reason).toBe(undefined);
    return row;
  });
}
