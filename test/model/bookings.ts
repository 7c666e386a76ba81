/**
 * Bookings in the model: they are made, changed and cancelled (docs/specification.md#booking). The others of a call
 * count as made; every change settles the queue.
 */
import type { BookResult } from '../../src/contract/bookings.ts';
import type { BOOK_STATUSES } from '../../src/domain/bookings.ts';
import type { Booking } from './booked.ts';
import type { Match } from './matching.ts';
import { WaitingModel } from './waitingModel.ts';

/** What is asked for. Times are in ms. */
export interface Wanted {
  resource?: string | undefined;
  match?: Match | undefined;
  requester: string;
  start: number;
  end: number;
  claimWithinSeconds?: number | undefined;
  series?: string | undefined;
}

/** What the engine made of it. */
export interface Made {
  id: string;
  key: string;
  token: string;
}

type Status = (typeof BOOK_STATUSES)[number];
export type Answer = { status: Status; resource: string; slot: string | null };

const DAY_MS = 86_400_000;

export class BookingModel extends WaitingModel {
  /**
   * @param wanted a start that is just over becomes now
   * @param made what the engine made of each that it booked
   */
  book(wanted: readonly Wanted[], skipsConflicts: boolean, made: readonly (Made | null)[]) {
    const before = [...this.bookings];
    const answers = wanted.map((one, i) => this.bookOne(one, made[i] ?? { id: `${i}`, key: `${i}`, token: '' }));
    const isFatal = ({ status }: Answer) => status === 'NOT_VALID' || (status === 'CONFLICT' && !skipsConflicts);
    const status = worst(answers, skipsConflicts);
    if (answers.some(isFatal)) {
      this.bookings = before;
      for (const one of answers) if (one.status === 'BOOKED') Object.assign(one, { status: 'ROLLED_BACK', slot: null });
    }
    this.settle();
    return { status, answers };
  }

  private bookOne(wanted: Wanted, made: Made): Answer {
    const { resource: name, match = {}, requester, end, series, claimWithinSeconds } = wanted;
    const names = name === undefined ? this.fitting(match).filter((one) => this.isBookable(one)) : [name];
    const found = names.flatMap((one) => this.bookableAt(one) ?? []);
    const [first] = found;
    const none = { resource: name ?? '', slot: null };
    // An occurrence of a series that breaks a rule counts as a conflict.
    if (!this.isTimeRight(wanted)) return { ...none, status: series === undefined ? 'NOT_VALID' : 'CONFLICT' };
    wanted.start = this.sinceNow(wanted.start);
    const { start } = wanted;
    if (first === undefined) return { ...none, status: 'NOT_VALID' };
    for (const { resource, slots } of found) {
      const slot = slots.find((one) => this.inTheWay(one, { id: '', requester, start, end }) === null);
      if (slot === undefined) continue;
      const isNamed = slots.length === 1 && slots[0] !== resource;
      const booking = { ...made, resource, slot, isNamed, requester, start, end, series, claimWithinSeconds };
      this.bookings.push({ ...booking, isDelayed: false, claimBy: null });
      return { status: 'BOOKED', resource, slot };
    }
    return { ...none, status: 'CONFLICT' };
  }

  /** What a name stands for that can be booked, and the slots that would do; null: nothing. */
  private bookableAt(name: string): { resource: string; slots: string[] } | null {
    const { resource, slot } = this.meaning(name) ?? {};
    if (resource === undefined || !this.isBookable(resource)) return null;
    return { resource, slots: slot === undefined ? this.slotNames(resource) : [slot] };
  }

  /** A start of up to a minute ago means now. */
  private sinceNow(start: number): number {
    return Math.max(start, Math.floor(this.nowMs / 1000) * 1000);
  }

  private isTimeRight({ start, end }: { start: number; end: number }): boolean {
    const isAhead = this.sinceNow(start) - start <= 60_000 && start <= this.nowMs + 366 * DAY_MS;
    return isAhead && end > this.nowMs && end - start >= 60_000 && end - start <= DAY_MS;
  }

  /** Changes one that has not begun. Returns its status; null if there is none. */
  change(id: string, { start, end }: { start?: number | undefined; end?: number | undefined }): Status | null {
    const one = this.bookings.find((other) => other.id === id);
    if (one === undefined) return this.running.some(({ booking }) => booking?.id === id) ? 'NOT_VALID' : null;
    if (one.isDelayed) return 'NOT_VALID';
    const wanted = { ...one, start: start ?? one.start, end: end ?? one.end };
    if (!this.isTimeRight(wanted)) return 'NOT_VALID';
    wanted.start = this.sinceNow(wanted.start);
    const slots = one.isNamed ? [one.slot] : [one.slot, ...this.slotNames(one.resource)];
    const slot = slots.find((other) => this.inTheWay(other, wanted) === null);
    if (slot === undefined) return 'CONFLICT';
    Object.assign(one, { start: wanted.start, end: wanted.end, slot });
    this.settle();
    return 'BOOKED';
  }

  /** Cancels bookings; one that runs is released. Returns their number. */
  cancelBookings(is: (one: Booking) => boolean): number {
    const future = this.bookings.filter(is);
    const running = this.running.filter(({ booking }) => booking !== undefined && is(booking));
    for (const one of future) this.drop(one);
    for (const one of running) this.end(one);
    this.settle();
    return future.length + running.length;
  }

  /** Those that there are, by start. */
  listed(): (Booking & { state: 'BOOKED' | 'RUNNING' | 'DELAYED' })[] {
    const running = this.running.flatMap(({ booking }) => (booking ? [{ ...booking, state: 'RUNNING' as const }] : []));
    const others = this.bookings.map((one) => ({
      ...one,
      state: one.isDelayed ? ('DELAYED' as const) : ('BOOKED' as const),
    }));
    return [...running, ...others].sort((a, b) => a.start - b.start || (a.key < b.key ? -1 : 1));
  }
}

/** The status of a call: that of its bookings, the worst one. */
function worst(answers: readonly Answer[], skipsConflicts: boolean): BookResult['status'] {
  const are = (status: Status) => answers.some((one) => one.status === status);
  if (are('NOT_VALID')) return 'NOT_VALID';
  return are('CONFLICT') && !(skipsConflicts && are('BOOKED')) ? 'CONFLICT' : 'BOOKED';
}
