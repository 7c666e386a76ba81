/**
 * Bookings with a database, without HTTP before it, in a Redis whose clock is steered, and that loses data.
 */
import { expect } from 'vitest';
import type { Booking } from '../../src/contract/bookings.ts';
import type { changeInDatabase } from '../../src/definitions/changeInDatabase.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { bookings, type EngineBooking } from '../../src/engine/bookings.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { active } from '../../src/engine/reservations/active.ts';
import { unpackToken } from '../../src/engine/reservations/releaseToken.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import type { BookingChanges } from '../../src/operations/bookingChanges.ts';
import { bookingsInDatabase } from '../../src/operations/bookingsInDatabase.ts';
import { lookAfterBookings } from '../../src/store/bookingCopies.ts';
import { readBookings } from '../../src/store/bookings.ts';
import { STEERED_CLOCK, setClock } from './clock.ts';
import { forget } from './hotRecord.ts';
import { all } from './listed.ts';
import { engineOn, makeStore, type OpenStore, storeTenant } from './tenancy.ts';

export const HOUR = 3600;
/** Ahead of the real clock, by which other tests' instances end leases. */
const START_MS = Math.ceil(Date.now() / HOUR / 1000 + 1) * HOUR * 1000;

export class BookingStore {
  readonly store: OpenStore;
  readonly engine: Engine;
  readonly changes: BookingChanges;
  readonly #definitions: ReturnType<typeof changeInDatabase>;
  credential: Credential = { tenant: '', credentialKey: '', kind: 'key' };
  #atS = 0;

  private constructor(store: OpenStore) {
    this.store = store;
    const { engine, changes } = engineOn(store, { 'frame/now': STEERED_CLOCK });
    this.engine = engine;
    this.#definitions = changes;
    this.changes = bookingsInDatabase(this.engine, store);
  }

  static async open(): Promise<BookingStore> {
    return new BookingStore(await makeStore());
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** Goes on with a new tenant, that has a bookable phone and a pool of two, at the start. */
  async begin(): Promise<void> {
    const { tenant, key } = await storeTenant(this.store);
    this.credential = { tenant, credentialKey: digestOf(key), kind: 'key' };
    const bookable = { blocks: [], treePath: null, bookable: true };
    await this.#definitions.register(this.credential, [
      { name: 'phone', capacity: 1, ...bookable },
      { name: 'pool', capacity: 2, ...bookable },
    ]);
    await this.goTo(0);
  }

  get tenant(): string {
    return this.credential.tenant;
  }

  key(name: string): string {
    return `{${this.tenant}}:${name}`;
  }

  /** Sets Redis's clock to so many seconds after the start. */
  async goTo(seconds: number): Promise<void> {
    this.#atS = seconds;
    await setClock(this.store.redis, this.tenant, START_MS + seconds * 1000);
  }

  /** A request for the phone, from and to so many seconds after the start. */
  request(from: number, to: number, rest: Partial<EngineBooking> = {}) {
    const item = { resource: 'phone', requester: 'bo', start: this.at(from), end: this.at(to), ...rest };
    return { bookings: [item], skipConflicts: false };
  }

  /** In s since 1970. */
  at(seconds: number): number {
    return START_MS / 1000 + seconds;
  }

  /** Books, and returns the id. */
  async book(from: number, to: number, rest: Partial<EngineBooking> = {}): Promise<string> {
    const { result } = await this.changes.book(this.credential, this.request(from, to, rest));
    return result.bookings[0]?.booking ?? expect.fail(JSON.stringify(result));
  }

  cancel = (booking: string) => this.changes.cancelBookings(this.credential, { booking }, new Map());
  list = (): Promise<Booking[]> => all(bookings(this.engine, this.credential, {}));
  ids = async () => (await this.list()).map(({ booking }) => booking);
  held = () => all(active(this.engine, this.credential));
  lookAfter = () => lookAfterBookings(this.store, this.engine.loadTenant);

  /** The ids that the database has of bookings that are not over. */
  async copied(): Promise<string[]> {
    const found: string[] = [];
    for await (const page of readBookings(this.store.database, this.tenant, true))
      found.push(...page.map(({ id }) => unpackToken(id)));
    return found;
  }

  /** Redis loses all that it has of the tenant. */
  async flush(): Promise<void> {
    await forget(this.store.redis, this.tenant);
    await this.goTo(this.#atS);
  }

  /** Returns what Redis has of the tenant. */
  async state(): Promise<ReadonlyMap<string, Buffer | null>> {
    const { redis } = this.store;
    const keys = await redis.keys(this.key('*'));
    return new Map(await Promise.all(keys.map(async (key) => [key, await redis.dumpBuffer(key)] as const)));
  }

  /** Redis goes back to a state, as if a replica that had not got all writes became primary. */
  async failOverTo(state: ReadonlyMap<string, Buffer | null>): Promise<void> {
    const { redis } = this.store;
    await forget(redis, this.tenant);
    await Promise.all([...state].map(([key, dump]) => dump && redis.restore(key, 0, dump)));
    await redis.hset(this.key('tenant'), 'bookingsCompared', 'another history');
    await this.goTo(this.#atS);
  }
}
