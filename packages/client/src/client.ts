/** Every call of the service, and holds that look after themselves: of a client, and of its fake. */
import { bookAll, cancelBookings, changeBooking, slotOf } from './bookings.ts';
import { type Duration, ttlSecondsOf } from './durations.ts';
import { HoldfastError, invalid, refuseUnknown } from './errors.ts';
import { type Mirror, type MirrorOptions, openMirror } from './events/mirror.ts';
import { type ConnectionChange, type EventsOptions, events } from './events/stream.ts';
import { type Hold, reportOf } from './holds/hold.ts';
import { itemOf, planOf, type Target } from './holds/plan.ts';
import { type Requesters, randomText } from './holds/requesters.ts';
import type { ReservationKey } from './holds/reservation.ts';
import type { Reserver } from './holds/reserver.ts';
import { type TransactionOptions, transact } from './holds/transaction.ts';
import { use, type Work } from './holds/use.ts';
import type { Api } from './http/api.ts';
import { type CallOptions, Lists } from './lists.ts';
import { LiveSession, type Session, type SessionOptions } from './sessions/session.ts';
import type {
  BookAllOptions,
  BookedItem,
  BookedSlot,
  Booking,
  BookOptions,
  ChangeBookingOptions,
  CheckResult,
  Condition,
  ConditionItem,
  ConditionResult,
  Definition,
  HoldfastEvent,
  Registration,
  ReleaseOptions,
  ReserveOptions,
  TransactionResult,
  Wanted,
} from './types.ts';

export class Client extends Lists {
  readonly #api: Api;
  readonly #requesters: Requesters;
  readonly #reserver: Reserver;

  /** @param api the service, or its fake */
  constructor(api: Api, requesters: Requesters, reserver: Reserver) {
    super(api);
    this.#api = api;
    this.#requesters = requesters;
    this.#reserver = reserver;
  }

  /**
   * Who this client is: unique to this object, unless you chose a requester. Reservations of one name that it holds at
   * the same time are made by `<requester>#2`, `<requester>#3` and so on. Reservations of different names are made by
   * the same requester: below one ancestor, they share its slot (docs/specification.md#how-a-plan-is-met).
   */
  get requester(): string {
    return this.#requesters.base;
  }

  /**
   * Reserves, runs `work`, and always releases. The lease is renewed meanwhile, each time a third of it has passed.
   * @param target a name, several names to take together, or options with `match`
   * @param work gets the hold, and a signal that aborts before the lease can have ended, or when `options.signal` does
   * @returns what `work` returns
   * @throws what `work` throws; HoldfastError LEASE_LOST if the lease was lost meanwhile; as `reserve`
   */
  using<T>(target: Target, work: Work<T>): Promise<T>;
  using<T>(target: Target, options: ReserveOptions, work: Work<T>): Promise<T>;
  async using<T>(target: Target, second: ReserveOptions | Work<T>, third?: Work<T>): Promise<T> {
    const [options, work] = typeof second === 'function' && third === undefined ? [{}, second] : [second, third];
    if (typeof work !== 'function' || typeof options === 'function') throw invalid('using needs a function, last');
    const plan = planOf(target, options);
    return use(await this.#reserver.take(plan), work, plan.signal);
  }

  /**
   * Reserves, and waits for its turn if `wait` says so. The lease is 30 s unless `ttl` says otherwise. It is not
   * renewed by itself: call `renew`, or use `using`. Several names are taken together or not at all.
   * @throws HoldfastError ALREADY_HELD, NOT_AVAILABLE, NOT_VALID (with `heldBy`, if the service knows), ALREADY_HAD if
   *   another hold of this client has it under a requester that you chose; the reason of `options.signal`
   */
  async reserve(target: Target, options?: ReserveOptions): Promise<Hold> {
    return (await this.#reserver.take(planOf(target, options))).hold;
  }

  /** As `reserve`, but null instead of ALREADY_HELD and NOT_AVAILABLE. */
  async tryReserve(target: Target, options?: ReserveOptions): Promise<Hold | null> {
    return (await this.#reserver.tryTake(planOf(target, options)))?.hold ?? null;
  }

  /**
   * Releases a hold, or a reservation by its token. `options`: the condition of its slots from now on.
   * @returns whether it was held until now
   * @throws HoldfastError DOESNT_OWN_RESERVATION if the token is wrong, or somebody else has it
   */
  async release(target: Hold | ReservationKey, options: ReleaseOptions = {}): Promise<boolean> {
    if ('release' in target) return target.release(options);
    const { resource, requester, releaseToken } = target;
    const { result } = await this.#api.unreserve({ resource, requester, releaseToken, ...reportOf(options) });
    if (result.status === 'DOESNT_OWN_RESERVATION') throw refusal(resource, result);
    return result.status === 'RELINQUISHED';
  }

  /**
   * Renews a hold, or a reservation by its token: it then ends `ttl` from now.
   * @returns when it ends, by the clock of the service; null: never
   * @throws HoldfastError LEASE_LOST (a hold), NOT_RESERVED, DOESNT_OWN_RESERVATION
   */
  async renew(target: Hold | ReservationKey, ttl?: Duration): Promise<Date | null> {
    if ('renew' in target) {
      await target.renew(ttl);
      return target.expiresAt;
    }
    const { resource, requester, releaseToken } = target;
    const ttlSeconds = ttlSecondsOf(ttl);
    const { result } = await this.#api.renew({ resource, requester, releaseToken, ttlSeconds });
    if (result.status !== 'RENEWED') throw refusal(resource, result);
    return result.expiresAt === null ? null : new Date(result.expiresAt);
  }

  /**
   * Sends a transaction as it is (docs/specification.md#transactions), with durations. Requests without a requester get
   * the client's, without a number. `using` and `reserve` take several names more simply.
   * @returns the response: look at `status`, and at that of each result
   */
  transaction(options: TransactionOptions): Promise<TransactionResult> {
    return transact(this.#api, options, this.requester, this.#reserver.waits);
  }

  /**
   * Begins a session: many reservations of one requester that end together, kept by one heartbeat. It renews itself,
   * each time a third of its `ttl` has passed.
   */
  session(options: SessionOptions = {}): Promise<Session> {
    return LiveSession.begin(this.#api, this.#reserver, this.#requesters.forSession(options.requester), options);
  }

  /** Says who holds a resource and whether it could be reserved. `options.requester`: by whom. */
  check(resource: string, options?: CallOptions & { readonly requester?: string | undefined }): Promise<CheckResult>;
  check(
    resources: readonly string[],
    options?: CallOptions & { readonly requester?: string | undefined },
  ): Promise<CheckResult[]>;
  async check(
    resources: string | readonly string[],
    { requester, signal, ...rest }: CallOptions & { readonly requester?: string | undefined } = {},
  ): Promise<CheckResult | CheckResult[]> {
    refuseUnknown(rest);
    const checkOne = async (resource: string) => {
      const item = requester === undefined ? { resource } : { resource, requester };
      return (await this.#api.check(item, { signal })).result;
    };
    return typeof resources === 'string' ? checkOne(resources) : Promise.all(resources.map(checkOne));
  }

  /** Returns true if a slot of it is free. */
  async available(resource: string, options?: CallOptions): Promise<boolean> {
    return !(await this.check(resource, options)).reserved;
  }

  /**
   * Ends the waits for a resource: of a requester, or of this client. Waits of this client end with
   * NOT_AVAILABLE. If one was granted in that moment, the grant is released.
   * @returns whether there was one
   */
  async cancel(
    resource: string,
    { requester, signal, ...rest }: CallOptions & { readonly requester?: string | undefined } = {},
  ): Promise<boolean> {
    refuseUnknown(rest);
    const requesters = requester === undefined ? this.#requesters.waitingFor(resource) : [requester];
    const [hasEnded, ...answers] = await Promise.all([
      this.#reserver.waits.cancel(resource, requesters),
      ...requesters.map((one) => this.#api.cancel({ resource, requester: one }, { signal })),
    ]);
    return hasEnded || answers.some(({ result }) => result.status === 'CANCELLED');
  }

  /**
   * Books a slot for a time ahead. From `start` to `end` it is the requester's: `reserve` its `slot` then.
   * @returns what was booked; `slot` is the slot
   * @throws HoldfastError CONFLICT, which says what is in the way; NOT_VALID. Nothing was booked
   */
  async book(resource: string, options: BookOptions): Promise<BookedSlot> {
    return slotOf(await this.bookAll(resource, options));
  }

  /**
   * Books a slot of each resource, with `repeat` a series of it: all or none. With `skipConflicts`, look at `status` of
   * each result: those that are `CONFLICT` were left out.
   * @throws HoldfastError as `book`
   */
  bookAll(resources: Wanted, options: BookAllOptions): Promise<BookedItem[]> {
    return bookAll(this.#api, resources, { ...options, requester: options.requester ?? this.requester });
  }

  /**
   * Moves a booking that has not begun, or changes its note.
   * @throws HoldfastError CONFLICT, NOT_VALID: it stays as it is; NOT_FOUND: there is none
   */
  changeBooking(booking: string, options: ChangeBookingOptions): Promise<Booking> {
    return changeBooking(this.#api, booking, options);
  }

  /**
   * Cancels a booking. One that is running is released.
   * @returns whether there was one
   */
  async cancelBooking(booking: string, options?: CallOptions): Promise<boolean> {
    return (await cancelBookings(this.#api, encodeURIComponent(booking), options)) > 0;
  }

  /** Cancels the bookings of a series that are not over, or start at `from` or later. @returns how many there were */
  cancelSeries(series: string, options?: CallOptions & { readonly from?: Date | undefined }): Promise<number> {
    return cancelBookings(this.#api, `series/${encodeURIComponent(series)}`, options);
  }

  /** Registers pools, blockers, trees and labels: all of them or none. Returns them as stored. */
  async register(definitions: Registration | readonly Registration[], options?: CallOptions): Promise<Definition[]> {
    const body = [definitions].flat();
    const request = { ...options, method: 'POST' as const, path: '/Resource/register', body };
    return (await this.#api.request<Definition[]>(request)).result;
  }

  /**
   * Sets the condition of slots; of a pool, of all its slots. Look at `status` of each result: it may be `NOT_VALID`.
   */
  async setCondition(
    resources: string | readonly string[],
    condition: Condition,
    { reason, ...options }: CallOptions & { readonly reason?: string | undefined } = {},
  ): Promise<ConditionResult[]> {
    const fields = itemOf({ reason });
    const body = [resources].flat().map((resource): ConditionItem => ({ resource, condition, ...fields }));
    const request = { ...options, method: 'PUT' as const, path: '/Resource/condition', body };
    return (await this.#api.request<ConditionResult[]>(request)).result;
  }

  /**
   * Deletes a definition; with `cascade`, those below it too.
   * @returns the names that were deleted
   * @throws HoldfastError NOT_REGISTERED, REFUSED if it is held or others are below it
   */
  async unregister(
    name: string,
    { cascade, ...options }: CallOptions & { readonly cascade?: boolean | undefined } = {},
  ): Promise<string[]> {
    const { result } = await this.#api.request<{ deleted: string[] }>({
      ...options,
      method: 'DELETE',
      path: `/Resource/${encodeURIComponent(name)}`,
      query: { cascade: cascade ? 'true' : undefined },
      has: 'deleted',
    });
    return result.deleted;
  }

  /**
   * Ends all reservations and waits of the tenant. Definitions stay.
   * @returns how many reservations it ended
   */
  async reset(options?: CallOptions): Promise<number> {
    const { result } = await this.#api.request<{ cleared: number }>({
      ...options,
      method: 'POST',
      path: '/Reservation/reset',
      has: 'cleared',
      idempotencyKey: randomText(26),
    });
    return result.cleared;
  }

  /**
   * Iterates over every change, as it happens, with `CONNECTED` and `DISCONNECTED` in between: events that came while
   * it was not connected are missing. It connects again by itself until `signal` aborts, which ends the iteration
   * without an error. A loop that falls more than 1 MiB behind loses its connection.
   * @throws HoldfastError if it cannot connect within 30 s at first; if the service refuses the key
   */
  events(options?: EventsOptions): AsyncGenerator<HoldfastEvent | ConnectionChange, void, undefined> {
    return events(this.#api, options);
  }

  /**
   * Follows everything that is held, also across lost connections.
   * @returns the mirror, as soon as it has everything
   * @throws as `events`; the reason of `options.signal`
   */
  mirror(options?: MirrorOptions): Promise<Mirror> {
    return openMirror(this.#api, options);
  }
}

/**
 * The calls of a client: a `Holdfast`, the fake of `@holdfast/client/testing`, or an object of yours in tests. A
 * function that uses a few of them can take a `Pick<HoldfastClient, 'using'>`.
 */
export interface HoldfastClient extends Pick<Client, keyof Client> {}

const refusal = (resource: string, { status, explanation }: { status: string; explanation: string }) =>
  new HoldfastError(status, `${resource}: ${explanation}`);
