/**
 * A tenant as its lists show it, judged by the model: is a ticket left that could be granted? It needs no history, so
 * tests of a real service under load can ask.
 */
import type { ActiveReservation } from '../../src/contract/reservations.ts';
import type { WaitingRequest } from '../../src/contract/waiting.ts';
import { isSuccess } from './paper.ts';
import type { Entry } from './plans.ts';
import type { Hold, Registration, Reservation } from './state.ts';
import type { Request, Ticket } from './tickets.ts';
import { WaitingModel } from './waitingModel.ts';

/** The bounds of the waiting order: so many tickets of the queue make somebody exempt, and so many are looked at. */
const MAX_EXEMPTING = 64;
const MAX_KEPT_LOOKS = 64;

/** A caller's request for a ticket. */
export interface Sent {
  items: Request['items'];
  /** Its last call had `pollSeconds=0`. */
  isDetached: boolean;
}

class ListedModel extends WaitingModel {
  /** The next tickets, by what is held: of a list, nothing else changes. */
  private readonly nextBy = new Map<string, Ticket[]>();

  override next(): Ticket[] {
    const held = JSON.stringify(this.reservations);
    const next = this.nextBy.get(held) ?? super.next();
    this.nextBy.set(held, next);
    return next;
  }

  protected override exempting(): Ticket[] {
    const front = this.queue.slice(0, MAX_EXEMPTING);
    return this.next().filter((ticket) => front.includes(ticket));
  }

  /** Adds a reservation with the slots that it was listed with. */
  add(listed: ActiveReservation): void {
    const { resource, requester, fencingToken, mode, slots, acquiredSlots, acquiredBlockers, reservedAtPath } = listed;
    const meant = this.meaning(resource);
    if (meant === null) throw new Error(`${resource} is held and has no meaning`);
    const plan = this.plan(meant.resource, meant.slot, requester, 'own', [], slots?.length, mode === 'SHARED');
    const moreSlots = slots?.slice(1) ?? [];
    const slotOf = (entry: Entry): string => {
      if (entry.slot !== undefined) return entry.slot;
      if (this.capacityOf(entry.resource) === 1) return entry.resource;
      if (entry.role === 'moreSlot') return moreSlots.shift() ?? '';
      if (entry.role !== 'blocker') return acquiredSlots?.[entry.resource] ?? '';
      return acquiredBlockers?.find((slot) => slot.startsWith(`${entry.resource}_`)) ?? '';
    };
    const held = plan.map((entry) => ({ role: entry.role, hold: this.holdOf(slotOf(entry), entry) }));
    const own = held.find(({ role }) => role === 'own')?.hold;
    if (own === undefined) throw new Error(`${resource} has no slot of its own`);
    this.reservations.push({
      requestedName: resource,
      requester,
      token: null,
      fence: fencingToken,
      reservedAt: 0,
      expiresAt: null,
      own,
      others: [...new Set(held.map(({ hold }) => hold))].filter((hold) => hold !== own),
      details: {
        acquiredSlots,
        acquiredBlockers,
        reservedAtPath,
        ...(slots && { slots }),
        ...(mode === 'SHARED' ? { mode } : {}),
      },
    } satisfies Reservation);
    this.fence = Math.max(this.fence, fencingToken);
  }

  /** The hold of a slot: the same one for all reservations that use it. */
  private holdOf(slot: string, { resource, owner, role, ...entry }: Entry): Hold {
    const known = this.holdAt(slot);
    return known ?? { slot, owner, of: resource, byName: entry.slot !== undefined || role === 'moreSlot' };
  }

  /** Adds a ticket behind all others of its priority. */
  wait(listed: WaitingRequest, { items, isDetached }: Sent): void {
    const { requester, method, priority, since, until, attended } = listed;
    this.tickets.push({
      requester,
      method: method === 'ALL_OR_NONE' || method === 'FIRST' ? method : '',
      items,
      id: this.tickets.length,
      priority,
      since: Date.parse(since),
      until: Date.parse(until),
      claimMs: 0,
      call: { instance: '', pollMs: !attended && isDetached ? 0 : 1 },
      calls: { '': Number.POSITIVE_INFINITY },
      awayAt: attended || isDetached ? null : 0,
      lacked: [listed.waitsFor],
    });
  }

  /** The first ticket that could be granted now; undefined if the queue is settled. */
  firstGrantable(): Ticket | undefined {
    return this.queue.find(
      (ticket) =>
        (this.isDetached(ticket) || this.isAttended(ticket)) &&
        this.isFree(ticket) &&
        !this.isFarBehind(ticket) &&
        this.carryOut(ticket, ticket, []).status !== 'ROLLED_BACK',
    );
  }

  /** Returns true if as many tickets ahead wait for the same thing as are looked at when less of it is kept. */
  private isFarBehind({ id, lacked }: Ticket): boolean {
    const ahead = this.queue.slice(
      0,
      this.queue.findIndex((one) => one.id === id),
    );
    return ahead.filter((one) => one.lacked[0] === lacked[0]).length >= MAX_KEPT_LOOKS;
  }

  /** Returns true if a request could be carried out if nothing were kept. Judged first, since it takes little time. */
  private isFree({ requester, method, items }: Ticket): boolean {
    const { reservations, fence } = this;
    this.reservations = [...reservations];
    const met = items.map((item) => isSuccess(this.reserveNamed({ ...item, requester }, null)));
    Object.assign(this, { reservations, fence });
    return method === 'FIRST' ? met.includes(true) : !met.includes(false);
  }
}

/** @throws if a ticket is listed that could be granted */
export function expectSettled(
  registered: readonly Registration[],
  active: readonly ActiveReservation[],
  waiting: readonly WaitingRequest[],
  sentOf: (listed: WaitingRequest) => Sent,
): void {
  const model = new ListedModel();
  model.beats = { '': 0 };
  model.register(registered);
  for (const one of active) model.add(one);
  for (const one of waiting) model.wait(one, sentOf(one));
  const left = model.firstGrantable();
  if (left === undefined) return;
  const rows = waiting.map(({ reason: _, ...row }) => ({ ...row, sent: sentOf(row) }));
  throw new Error(
    `${left.requester} waits for ${JSON.stringify(left.items)}, which is free and not kept, as ticket ${left.id} of ${JSON.stringify(rows)}; held: ${JSON.stringify(active)}`,
  );
}
