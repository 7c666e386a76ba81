/** A hold: one or several reservations that were taken together, and the lease that ends them. */
import { type Duration, ENDLESS, ttlSecondsOf } from '../durations.ts';
import { HoldfastError, invalid, refuseUnknown } from '../errors.ts';
import type { Answer, Api } from '../http/api.ts';
import type { ReleaseOptions, RenewResult, ReserveResult } from '../types.ts';
import { CLOCKS, type Clocks, offsetOf } from './clocks.ts';
import type { Lease } from './lease.ts';
import { itemOf } from './plan.ts';
import { type Attributes, keyOf, type Reservation, reservationOf } from './reservation.ts';

/** `Symbol.asyncDispose`, also where it is missing: compilers of `await using` look for this one then. */
export const asyncDispose: typeof Symbol.asyncDispose = (Symbol.asyncDispose ??
  Symbol.for('Symbol.asyncDispose')) as typeof Symbol.asyncDispose;

/** Where a hold comes from. */
export interface Origin {
  readonly api: Api;
  readonly requester: string;
  readonly lease: Lease;
  /** The lease, in seconds; Infinity: it never ends by itself. */
  readonly ttlSeconds: number;
  /** The end of the session that it belongs to, if it belongs to one. */
  readonly session: { readonly expiresAt: Date } | undefined;
  readonly waitedMs: number;
  /** Called when the service has released it. */
  ended(): void;
  readonly clocks?: Clocks | undefined;
  /** Called when a booking of somebody else fixes the end of the lease, and each time that this end changes. */
  readonly onEndFixed?: ((end: Date) => void) | undefined;
}

/** A hold over the service, or over its fake. */
export class LiveHold {
  /** The requester that has it. */
  readonly requester: string;
  /** Time for which it waited for its turn, in ms. */
  readonly waitedMs: number;
  readonly #origin: Origin;
  readonly #clocks: Clocks;
  #results: readonly [ReserveResult, ...ReserveResult[]];
  #reservations: readonly Reservation[] | undefined;
  #ttlSeconds: number;
  #renewing: Promise<unknown> = Promise.resolve();
  #closing: AbortController | undefined;
  #released: Promise<boolean> | undefined;
  #fixedEnd: Date | null = null;

  /** Holds are made by `reserve` and `using`. */
  constructor(origin: Origin, first: ReserveResult, others: readonly ReserveResult[]) {
    this.#origin = origin;
    this.#clocks = origin.clocks ?? CLOCKS;
    this.requester = origin.requester;
    this.waitedMs = origin.waitedMs;
    this.#ttlSeconds = origin.ttlSeconds;
    this.#results = [first, ...others];
    this.#fixEnd(this.#results);
  }

  /** The resource; of several, the first. For a match, the one that was picked. */
  get resource(): string {
    return this.#results[0].resource;
  }

  get resources(): readonly string[] {
    return this.#results.map(({ resource }) => resource);
  }

  /** The slots of pools that it has; for other resources, their names. */
  get slots(): readonly string[] {
    return this.reservations.flatMap(({ slots }) => slots);
  }

  /** The attributes of what it holds. If several resources have the same, that of the first. */
  get attributes(): Attributes {
    return Object.assign({}, ...this.reservations.map(({ attributes }) => attributes).reverse());
  }

  /** The fencing token; of several, the highest, which is good for each of them. */
  get fencingToken(): number {
    return Math.max(...this.reservations.map(({ fencingToken }) => fencingToken));
  }

  /** When the lease ends, by the clock of the service. Null: it never ends by itself. */
  get expiresAt(): Date | null {
    if (this.#origin.session !== undefined) return this.#origin.session.expiresAt;
    const times = this.reservations.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt.getTime()]));
    return times.length === 0 ? null : new Date(Math.min(...times));
  }

  /**
   * Aborts before the lease can have ended, with a HoldfastError `LEASE_LOST`: a tenth of it earlier, at least 50 ms
   * and at most 2 s. It counts from when the request was sent, by the monotonic clock and the wall clock, whichever
   * shows more. `aborted` and `throwIfAborted` look at the clocks when they are read: a process that was stopped finds
   * it aborted at its next look. A process that is stopped between its look and its write cannot know: use
   * `fencingToken` there. After a release it stays as it is.
   */
  get signal(): AbortSignal {
    return this.#origin.lease.signal;
  }

  /** Time in ms until `signal` aborts, unless it is renewed. Infinity: the lease never ends. */
  get remainingMs(): number {
    return this.#origin.lease.remainingMs;
  }

  /**
   * The end of the lease, if a booking of somebody else begins then: renewals cannot move it. Null: they can.
   */
  get fixedEnd(): Date | null {
    return this.#fixedEnd;
  }

  /** The reservations, one for each resource, in the order of the names. */
  get reservations(): readonly Reservation[] {
    this.#reservations ??= this.#results.map(reservationOf);
    return this.#reservations;
  }

  /**
   * Renews the lease: it then ends `ttl` from now, or at `fixedEnd`. Renewals of one hold are sent one after the other.
   * @param ttl the new lease; without it, the last one again. A hold whose lease never ends is left as it is then.
   * @throws HoldfastError LEASE_LOST, NOT_RESERVED after a release, INVALID_OPTION in a session, NOT_AVAILABLE if a
   *   booking begins within seconds, and the lease stays as it is; errors of the service
   */
  async renew(ttl?: Duration): Promise<void> {
    if (this.#origin.session !== undefined) {
      throw invalid('its session renews it');
    }
    const ttlSeconds = ttl === undefined ? undefined : ttlSecondsOf(ttl);
    if (ttlSeconds === ENDLESS) throw invalid('a renewal has an end');
    const renewal = this.#renewing.then(() => this.#renew(ttlSeconds ?? this.#ttlSeconds));
    this.#renewing = renewal.catch(() => {});
    return renewal;
  }

  /**
   * Releases all of it. If the service cannot be reached, it tries until the lease has ended by itself. A second call
   * gets the result of the first, unless that failed.
   * @param options the condition of its slots from now on. Within `using`, release it so as the last step of the work.
   * @returns whether it was held until now. False: the lease had ended before, or somebody released it.
   * @throws HoldfastError if the service refuses it
   */
  release(options?: ReleaseOptions): Promise<boolean> {
    return this.#releaseOnce(this.#results, options && reportOf(options));
  }

  /**
   * Ends the work: releases it, but for what is booked. That stays its requester's until the booking ends.
   * @returns whether it was held until now
   * @throws as `release`
   */
  leave(): Promise<boolean> {
    return this.#releaseOnce(this.#results.filter(({ booking }) => booking === undefined));
  }

  /** Leaves it at the end of a block: `await using hold = await holdfast.reserve('printer')`. */
  async [asyncDispose](): Promise<void> {
    await this.leave();
  }

  #releaseOnce(results: readonly ReserveResult[], report?: Report): Promise<boolean> {
    this.#released ??= this.#release(results, report);
    return this.#released;
  }

  async #renew(ttlSeconds: number): Promise<void> {
    const { api, lease } = this.#origin;
    if (this.#released !== undefined) throw new HoldfastError('NOT_RESERVED', `${this.#title} has been released`);
    if (lease.lost !== undefined) throw lease.lost;
    if (ttlSeconds === ENDLESS) return;
    const ttlMs = ttlSeconds * 1000;
    this.#closing ??= new AbortController();
    const offset = offsetOf(this.#clocks);
    lease.announce(ttlMs);
    const onFailure = (error: HoldfastError) => lease.failed(error);
    const options = { signal: this.#closing.signal, deadline: finite(lease.deadline), onFailure };
    const minTtlSeconds = Math.min(ttlSeconds, MIN_TTL_SECONDS);
    const calls = this.#results.map((result) => api.renew({ ttlSeconds, minTtlSeconds, ...keyOf(result) }, options));
    const answers = await Promise.all(calls).finally(() => lease.mayLast(ttlMs));
    const results = answers.map(({ result }) => result);
    const failed = results.find(({ status }) => status !== 'RENEWED' && status !== 'NOT_AVAILABLE');
    if (failed !== undefined) {
      lease.lose(new HoldfastError('LEASE_LOST', `${failed.resource} is not held any more: ${failed.explanation}`));
      throw lease.lost ?? new HoldfastError('NOT_RESERVED', `${this.#title} has been released`);
    }
    this.#ttlSeconds = ttlSeconds;
    const [first, ...others] = this.#results.map((result, i) => renewed(result, answers[i]));
    if (first !== undefined) this.#results = [first, ...others];
    this.#reservations = undefined;
    const kept = results.find(({ status }) => status === 'NOT_AVAILABLE');
    if (kept === undefined)
      lease.extend(leaseOf(results, ttlMs), Math.min(...answers.map(({ sentAt }) => sentAt)), offset);
    this.#fixEnd(results);
    if (kept !== undefined) throw new HoldfastError(kept.status, `${kept.resource}: ${kept.explanation}`);
  }

  /** Notes when the lease ends, if bookings say so. */
  #fixEnd(results: readonly Ending[]): void {
    // The end of an earlier lease (ALREADY_HAD) is known only after its next renewal.
    const fresh = results.filter(({ status }) => status !== 'ALREADY_HAD');
    const fixed = fresh.filter(({ ttlSeconds, bookedFrom }) => (ttlSeconds ?? bookedFrom) !== undefined);
    const ends = fixed.map(({ expiresAt }) => (expiresAt === null ? ENDLESS : Date.parse(expiresAt)));
    const first = Math.min(...ends);
    const end = first === ENDLESS ? null : new Date(first);
    const isNew = end !== null && end.getTime() !== this.#fixedEnd?.getTime();
    this.#fixedEnd = end;
    if (isNew) this.#origin.onEndFixed?.(end);
  }

  async #release(released: readonly ReserveResult[], report?: Report): Promise<boolean> {
    const { api, lease, session, ended } = this.#origin;
    if (session === undefined) lease.finish();
    this.#closing?.abort();
    const deadline = lease.end;
    try {
      const options = { deadline: finite(deadline) };
      const calls = released.map((result) => api.unreserve(Object.assign(keyOf(result), report), options));
      const [only] = calls;
      // Most holds have one: Promise.all would cost them three promises more.
      const answers = calls.length === 1 && only !== undefined ? [await only] : await Promise.all(calls);
      ended();
      return answers.every(({ result, repeated }) => result.status === 'RELINQUISHED' || repeated);
    } catch (error) {
      if (Number.isFinite(deadline) && isUnreachable(error)) return true;
      this.#released = undefined;
      throw error;
    }
  }

  get #title(): string {
    return this.resources.join(', ');
  }
}

/** The result of `reserve`. In tests, any object with these members is one. */
export interface Hold extends Pick<LiveHold, keyof LiveHold> {}

/** A renewal that is cut to the start of a booking lasts so long at least. */
const MIN_TTL_SECONDS = 5;

/** What a result says of the end of its lease. */
type Ending = Pick<ReserveResult, 'ttlSeconds' | 'bookedFrom' | 'expiresAt'> & { readonly status: string };

/** The lease that results have, in ms, of which `ttlMs` were asked: bookings may have cut it. */
export const leaseOf = (results: readonly Ending[], ttlMs: number): number =>
  Math.min(ttlMs, ...results.map(({ ttlSeconds = ENDLESS }) => ttlSeconds * 1000));

type Report = ReturnType<typeof reportOf>;

/** The fields of a release that say a condition. @throws HoldfastError INVALID_OPTION */
export function reportOf({ condition, reason, ...rest }: ReleaseOptions) {
  refuseUnknown(rest);
  return itemOf({ condition, reason });
}

const finite = (ms: number): number | undefined => (Number.isFinite(ms) ? ms : undefined);

/** Returns whether the service could not be reached: then reservations that were not released end with their leases. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof HoldfastError)) return false;
  const { status = 503, code } = error;
  return code === 'UNREACHABLE' || status === 408 || status === 429 || status >= 500;
}

function renewed(result: ReserveResult, answer: Answer<RenewResult> | undefined): ReserveResult {
  if (answer === undefined) return result;
  const { expiresAt, booking } = answer.result;
  return { ...result, expiresAt, ...(booking !== undefined && { booking }) };
}
