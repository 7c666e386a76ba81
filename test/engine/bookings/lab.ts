/**
 * A tenant with bookable resources, whose clock tests steer. Times are s after the start of the test.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { BookedItem, Booking, BookResult, ChangedBooking } from '../../../src/contract/bookings.ts';
import type { ActiveReservation, ReserveItem, ReserveResult } from '../../../src/contract/reservations.ts';
import type { Credential } from '../../../src/domain/tenants.ts';
import {
  type BookingFilter,
  book,
  bookings,
  cancelBookings,
  changeBooking,
  type EngineBooking,
  type NewTimes,
  type WhichBookings,
} from '../../../src/engine/bookings.ts';
import { active } from '../../../src/engine/reservations/active.ts';
import { registerBookable } from '../../support/bookable.ts';
import { setClock } from '../../support/clock.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { all } from '../../support/listed.ts';
import { reserve } from '../../support/verbs.ts';

export const HOUR = 3600;
const MONTH_S = 30 * 86_400;

/** A test's tenant: each test has a month of its own, in which nothing is left of the others. */
export class BookingLab {
  /** s since 1970. Ahead of the real clock, by which other tests' instances end leases. */
  #start = Date.UTC(2050, 0, 1) / 1000;
  readonly #capacities: Readonly<Record<string, number>>;
  #running: RunningEngine | undefined;

  /** Takes the capacities of its bookable resources. To be called at the top of a file. */
  constructor(capacities: Readonly<Record<string, number>>) {
    this.#capacities = capacities;
    beforeAll(async () => {
      this.#running = await startEngine();
      await registerBookable(this.running, capacities);
    });
    afterAll(() => this.running.stop());
    beforeEach(() => this.begin());
  }

  get running(): RunningEngine {
    if (this.#running === undefined) throw new Error('the engine has not started yet');
    return this.#running;
  }

  get credential(): Credential {
    return this.running.credential;
  }

  /** Ends what the test before has left. */
  async begin(): Promise<void> {
    this.#start += MONTH_S;
    await this.goTo(0);
    for (const resource of Object.keys(this.#capacities)) await this.cancel({ resource });
    const held = await this.held();
    if (held.length > 0) throw new Error(`held from the test before: ${JSON.stringify(held)}`);
  }

  goTo(seconds: number): Promise<unknown> {
    return setClock(this.running.engine.redis, this.credential.tenant, (this.#start + seconds) * 1000);
  }

  /** s since 1970 of a time of the test. */
  at(seconds: number): number {
    return this.#start + seconds;
  }

  iso(seconds: number): string {
    return new Date(this.at(seconds) * 1000).toISOString();
  }

  /** A booking of phone by bo, unless `rest` says otherwise. */
  item(from: number, to: number, rest: Partial<EngineBooking> = {}): EngineBooking {
    return { resource: 'phone', requester: 'bo', ...rest, start: this.at(from), end: this.at(to) };
  }

  async bookAll(
    items: readonly EngineBooking[],
    skipConflicts = false,
    credential = this.credential,
  ): Promise<BookResult> {
    return (await book(this.running.engine, credential, { bookings: items, skipConflicts })).result;
  }

  async book(from: number, to: number, rest: Partial<EngineBooking> = {}): Promise<BookedItem> {
    const [booked] = (await this.bookAll([this.item(from, to, rest)])).bookings;
    if (booked === undefined) throw new Error('book returned nothing');
    return booked;
  }

  async change(id: string | null, times: NewTimes, credential = this.credential): Promise<ChangedBooking | null> {
    return (await changeBooking(this.running.engine, credential, id ?? '', times)).result;
  }

  /** @returns the number of bookings that it has cancelled */
  async cancel(which: WhichBookings, credential = this.credential): Promise<number> {
    return (await cancelBookings(this.running.engine, credential, which, new Map())).result;
  }

  list(filter: BookingFilter = {}): Promise<Booking[]> {
    return all(bookings(this.running.engine, this.credential, filter));
  }

  held(): Promise<ActiveReservation[]> {
    return all(active(this.running.engine, this.credential));
  }

  async reserve(item: ReserveItem): Promise<ReserveResult> {
    const [result] = await reserve(this.running.engine, this.credential, [item]);
    if (result === undefined) throw new Error('reserve returned nothing');
    return result;
  }
}
