/**
 * Starts and ends of bookings in the model (docs/specification.md#the-start-and-the-end): each becomes a reservation of
 * its slot, or is delayed until it can.
 */
import type { Booking } from './booked.ts';
import { Claims } from './claims.ts';
import type { Reservation } from './state.ts';

/** In order of start. */
const inOrder = (a: Booking, b: Booking) => a.start - b.start || (a.key < b.key ? -1 : 1);

export class Starts extends Claims {
  private claimedLate(): Reservation[] {
    // Once its end has come, it is too late.
    const isOver = (booking: Booking) => booking.end <= this.nowMs;
    return this.reservations.filter(
      ({ booking }) => booking !== undefined && booking.claimBy !== null && !isOver(booking),
    );
  }

  /** The times at which something is due of a booking, in ms. */
  protected moments(): number[] {
    const claims = this.claimedLate().flatMap(({ booking }) => booking?.claimBy ?? []);
    return [...claims, ...this.bookings.map(({ isDelayed, start, end }) => (isDelayed ? end : start))];
  }

  /** Begins and ends what is due at a time, in ms. */
  protected startDue(atMs: number): void {
    const claims = this.claimedLate().flatMap((one) => {
      const { claimBy = null, key = '' } = one.booking ?? {};
      return claimBy === null ? [] : [{ at: claimBy, key, carryOut: () => this.end(one) }];
    });
    const others = this.bookings.map((one) => {
      const carryOut = () => {
        // One whose time has passed while nobody called never begins.
        if (one.end <= this.nowMs) this.drop(one);
        else if (this.bookings.includes(one)) one.isDelayed = !this.start(one);
      };
      return { at: one.isDelayed ? one.end : one.start, key: one.key, carryOut };
    });
    const due = [...claims, ...others].filter(({ at }) => at <= atMs);
    for (const { carryOut } of due.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))) {
      this.retry();
      carryOut();
    }
  }

  /** Begins the delayed bookings that can have a slot now. */
  protected retry(): void {
    for (const one of this.bookings.toSorted(inOrder)) if (one.isDelayed && one.end > this.nowMs) this.start(one);
  }

  protected drop(booking: Booking): void {
    this.bookings = this.bookings.filter((one) => one !== booking);
  }

  /** Returns false if the booking can have no slot. */
  private start(booking: Booking): boolean {
    const { slot, resource } = booking;
    const hold = this.holdAt(slot);
    if (hold !== undefined && this.extend(booking)) return true;
    if (hold === undefined && this.conditionAt(slot) !== 'out') return this.make(booking, slot);
    const wanted = { ...booking, start: Math.floor(this.nowMs / 1000) * 1000 };
    const isFree = (one: string) =>
      this.holdAt(one) === undefined && this.conditionAt(one) === 'ready' && this.inTheWay(one, wanted) === null;
    const other = this.slotNames(resource).find((one) => one !== slot && isFree(one));
    return other !== undefined && this.make(booking, other);
  }

  /** Makes the reservation that its requester has of the slot the booking's. */
  private extend(booking: Booking): boolean {
    const { slot, requester, end } = booking;
    const own = this.reservations.find((one) => one.own.slot === slot && one.requester === requester);
    const isAlone = own?.others.length === 0 && own.details.mode !== 'SHARED';
    if (own === undefined || !isAlone || own.token === null || own.session !== undefined) return false;
    if (own.expiresAt !== null) own.expiresAt = Math.max(own.expiresAt, end);
    own.booking = { ...booking, isDelayed: false, claimBy: null };
    this.drop(booking);
    return true;
  }

  private make(booking: Booking, slot: string): true {
    const { resource, requester, token, start, end, claimWithinSeconds } = booking;
    this.fence = Math.max(this.fence + 1, this.nowMs * 1000);
    const isPool = slot !== resource;
    const path = this.ancestorsOf(resource);
    const begun = Math.floor(this.nowMs / 1000) * 1000;
    this.reservations.push({
      requestedName: slot,
      requester,
      token,
      fence: this.fence,
      reservedAt: this.nowMs,
      expiresAt: end,
      own: { slot, owner: requester, of: resource, byName: isPool },
      others: [],
      details: {
        acquiredSlots: isPool ? { [resource]: slot } : null,
        acquiredBlockers: null,
        reservedAtPath: path.length === 0 ? null : [...path, resource].join('>'),
      },
      booking: {
        ...booking,
        slot,
        isDelayed: false,
        claimBy: claimWithinSeconds === undefined ? null : Math.max(start, begun) + claimWithinSeconds * 1000,
      },
    });
    this.drop(booking);
    return true;
  }
}
