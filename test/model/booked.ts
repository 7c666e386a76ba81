/**
 * Bookings in the model, and which slots they leave to requests (docs/specification.md#bookings). Those that run are
 * fields of their reservations.
 */
import type { Mode } from '../../src/domain/reservations.ts';
import { type Hold, type Reservation, State } from './state.ts';

export interface Booking {
  id: string;
  /** The id as Redis has it: orders those of one start. */
  key: string;
  resource: string;
  slot: string;
  /** It is for this very slot. */
  isNamed: boolean;
  requester: string;
  /** In ms, as `end`. */
  start: number;
  end: number;
  note?: string | undefined;
  claimWithinSeconds?: number | undefined;
  series?: string | undefined;
  /** The token that its reservation gets. */
  token: string;
  isDelayed: boolean;
  /** Of one that runs: when it must be claimed by, in ms; null: it need not, or is. */
  claimBy: number | null;
}

/** What of an item says how long it needs its slots. */
export interface Lasts {
  requester: string;
  ttlSeconds?: number | undefined;
  minTtlSeconds?: number | undefined;
  session?: string | undefined;
  mode?: Mode | undefined;
}

/** How long a request needs a slot. */
export interface Term {
  requester: string;
  /** In ms, infinite: it has no end. */
  until: number;
  /** The earliest end that would do, in ms. */
  least: number;
  isShared: boolean;
}

/** The fields of what is refused since it would last longer than a time, in ms. */
export const bookedWhy = (ms: number): { explanation: string; bookedFrom: string } => {
  const bookedFrom = new Date(ms).toISOString();
  return { explanation: `NOT_AVAILABLE: booked from ${bookedFrom}`, bookedFrom };
};

/** The slots that a request gets, and when its lease is cut; or the latest end that would do. In ms. */
export type Choice = { slots: string[]; cutTo: number | null } | { bookedFrom: number };

export class Booked extends State {
  /** Those that have not begun, and those that are delayed. */
  bookings: Booking[] = [];

  isBookable(resource: string): boolean {
    return this.definitions.get(resource)?.bookable === true;
  }

  /** @param claimMs how long its lease may begin later */
  termOf({ requester, ttlSeconds, minTtlSeconds, session, mode }: Lasts, claimMs = 0): Term {
    const from = this.nowMs + claimMs;
    const isEndless = ttlSeconds === undefined || session !== undefined;
    const until = isEndless ? Number.POSITIVE_INFINITY : from + ttlSeconds * 1000;
    const least = isEndless || minTtlSeconds === undefined ? until : from + minTtlSeconds * 1000;
    return { requester, until, least, isShared: mode === 'SHARED' };
  }

  /** When the first booking of a slot begins that ends a request's lease, in ms; infinite if there is none. */
  firstStart(slot: string, { requester, until, isShared }: Term): number {
    const isAny = isShared || until === Number.POSITIVE_INFINITY;
    const starts = this.bookings.filter((one) => one.slot === slot && (isAny || one.requester !== requester));
    return Math.min(...starts.map(({ start }) => start));
  }

  fits(slot: string, term: Term): boolean {
    return this.firstStart(slot, term) >= term.least;
  }

  /** Chooses some of the slots that are free, lowest first; null if there are too few. */
  choose(free: readonly string[], count: number, term: Term): Choice | null {
    const byStart = free
      .map((slot) => ({ slot, start: this.firstStart(slot, term) }))
      .sort((a, b) => (a.start === b.start ? 0 : b.start - a.start));
    const last = byStart[count - 1];
    if (last === undefined) return null;
    if (last.start >= term.until) {
      const slots = free.filter((slot) => this.firstStart(slot, term) >= term.until);
      return { slots: slots.slice(0, count), cutTo: null };
    }
    if (last.start < term.least) return { bookedFrom: last.start };
    return { slots: byStart.slice(0, count).map(({ slot }) => slot), cutTo: last.start };
  }

  /** Until when a reservation may last that is to last until the end of a term, in ms. */
  lastingUntil({ own, others, details }: Reservation, term: Term): number {
    const slots = [own, ...others].map(({ slot }) => slot);
    const isBookable = (slot: string) => this.isBookable(this.meaning(slot)?.resource ?? '');
    const isShared = details.mode === 'SHARED';
    return Math.min(
      term.until,
      ...slots.filter(isBookable).map((slot) => this.firstStart(slot, { ...term, isShared })),
    );
  }

  /** Renews a lease, and never cuts the one that it has. Returns the latest end that would do, in ms; null: it did. */
  protected renewLease(found: Reservation, asked: Lasts): number | null {
    if (found.session !== undefined) return null;
    const term = this.termOf(asked);
    const booked = this.lastingUntil(found, term);
    const until = Math.max(booked, Math.min(term.until, found.expiresAt ?? Number.POSITIVE_INFINITY));
    if (until < term.least) return booked;
    const isShorter = found.booking !== undefined && until < found.booking.end;
    if (!isShorter) found.expiresAt = until;
    return null;
  }

  /** When a slot's hold ends, in ms, as its lease is now; infinite: never. */
  endOfHold(hold: Hold): number {
    const mine = this.reservations.filter(
      ({ own, details }) => own === hold || (own.owner === hold.owner && details.slots?.includes(hold.slot)),
    );
    // What holds it along does not say until when.
    return mine.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...mine.map((one) => this.latestEnd(one)));
  }

  /** When a reservation ends at the latest, in ms, if nobody renews it. */
  protected latestEnd({ session, expiresAt, token, claimedMs = 0 }: Reservation): number {
    if (session !== undefined || expiresAt === null) return Number.POSITIVE_INFINITY;
    return token === null ? expiresAt + claimedMs : expiresAt;
  }

  /** The reservations of bookings that run. One that is renewed may outlast its booking. */
  get running(): Reservation[] {
    return this.reservations.filter(({ booking }) => booking !== undefined && booking.end > this.nowMs);
  }

  /** All bookings. */
  private get all(): Booking[] {
    return [...this.bookings, ...this.running.flatMap(({ booking }) => booking ?? [])];
  }

  /** What is in the way of a booking: another one of the slot, or its hold; null: nothing. */
  inTheWay(slot: string, { id, requester, start, end }: Pick<Booking, 'id' | 'requester' | 'start' | 'end'>) {
    const isOther = (one: Booking) => one.slot === slot && one.id !== id && one.start < end && one.end > start;
    const other = this.all.find(isOther);
    if (other !== undefined) return { kind: 'BOOKING' as const, until: other.end };
    const hold = this.holdAt(slot);
    const until = hold && this.endOfHold(hold);
    if (hold === undefined || until === undefined || until <= start) return null;
    return hold.owner === requester && until < Number.POSITIVE_INFINITY ? null : { kind: 'HOLD' as const, until };
  }

  /** The slots of a resource that have a booking. */
  bookedSlots(resource: string): string[] {
    return this.all.flatMap((one) => (one.resource === resource ? [one.slot] : []));
  }
}
