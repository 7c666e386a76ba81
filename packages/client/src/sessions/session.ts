/**
 * A session: many reservations of one requester, kept by one heartbeat (docs/specification.md#sessions). It renews
 * itself until it ends.
 */
import { type Duration, secondsOf } from '../durations.ts';
import { HoldfastError } from '../errors.ts';
import { asyncDispose } from '../holds/asyncDispose.ts';
import { CLOCKS, type Clocks, offsetOf } from '../holds/clocks.ts';
import { type Hold, isUnreachable } from '../holds/hold.ts';
import { keepRenewed } from '../holds/keepRenewed.ts';
import { Lease } from '../holds/lease.ts';
import { planOf, type Target } from '../holds/plan.ts';
import { randomText } from '../holds/requesters.ts';
import type { Reserver } from '../holds/reserver.ts';
import type { Api } from '../http/api.ts';
import type { BegunSession, EndedSession, RenewedSession, ReserveOptions } from '../types.ts';

/** How to begin a session. */
export interface SessionOptions {
  /**
   * How long it lasts without a renewal: 30 s if absent, at least 5 s. It renews itself each time a third has passed.
   */
  readonly ttl?: Duration | undefined;
  /** Who reserves in it. The default is unique to each session. */
  readonly requester?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How to reserve in a session: it has the lease and the requester. */
export type SessionReserveOptions = Omit<ReserveOptions, 'ttl' | 'requester'>;

const MIN_END_MS = 1000;

export class Session {
  readonly id: string;
  /** The requester of all its reservations: they do not exclude each other. */
  readonly requester: string;
  readonly #api: Api;
  readonly #reserver: Reserver;
  readonly #clocks: Clocks;
  readonly #token: string;
  readonly #ttlSeconds: number;
  readonly #lease: Lease;
  readonly #stop: () => void;
  #expiresAt: Date;
  #ended: Promise<number> | undefined;

  private constructor(
    context: { api: Api; reserver: Reserver; clocks: Clocks },
    requester: string,
    ttlSeconds: number,
    { session, token, expiresAt }: BegunSession,
    lease: Lease,
  ) {
    this.#api = context.api;
    this.#reserver = context.reserver;
    this.#clocks = context.clocks;
    this.requester = requester;
    this.id = session;
    this.#token = token;
    this.#expiresAt = new Date(expiresAt);
    this.#ttlSeconds = ttlSeconds;
    this.#lease = lease;
    this.#stop = keepRenewed(lease, () => this.#renew());
  }

  /** Sessions are begun by `holdfast.session()`. */
  static async begin(
    api: Api,
    reserver: Reserver,
    requester: string,
    { ttl = '30s', signal }: SessionOptions,
    clocks: Clocks = CLOCKS,
  ): Promise<Session> {
    const ttlSeconds = secondsOf(ttl, 'ttl');
    const lease = new Lease('the session', clocks);
    const offset = offsetOf(clocks);
    const { result, sentAt } = await api.request<BegunSession>({
      method: 'POST',
      path: '/Session',
      body: { requester, ttlSeconds },
      idempotencyKey: randomText(26),
      signal,
    });
    lease.extend(ttlSeconds * 1000, sentAt, offset);
    return new Session({ api, reserver, clocks }, requester, ttlSeconds, result, lease);
  }

  /** When it ends if it is not renewed, by the clock of the service. */
  get expiresAt(): Date {
    return this.#expiresAt;
  }

  /** Aborts before the session can have ended, as the signal of a hold does. It is the signal of all its holds. */
  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  /**
   * Reserves in this session. Its holds last as long as it does, and can be released one by one.
   * @throws HoldfastError ALREADY_HAD if the session holds it, LEASE_LOST if it has ended, and as `holdfast.reserve`
   */
  async reserve(target: Target, options: SessionReserveOptions = {}): Promise<Hold> {
    this.#lease.signal.throwIfAborted();
    return (await this.#reserver.take(planOf(target, options, this.id), this.#owner())).hold;
  }

  /** As `reserve`; null instead of an error if somebody else has it. */
  async tryReserve(target: Target, options: SessionReserveOptions = {}): Promise<Hold | null> {
    this.#lease.signal.throwIfAborted();
    return (await this.#reserver.tryTake(planOf(target, options, this.id), this.#owner()))?.hold ?? null;
  }

  /**
   * Ends it, and all its reservations with it. If the service cannot be reached, it tries until the session has ended
   * by itself. A second call gets the result of the first, unless that failed.
   * @returns how many reservations it ended; 0 if they ended by themselves
   * @throws HoldfastError if the service refuses it
   */
  end(): Promise<number> {
    this.#ended ??= this.#end().catch((error: unknown) => {
      this.#ended = undefined;
      throw error;
    });
    return this.#ended;
  }

  /** Ends it at the end of a block: `await using session = await holdfast.session()`. */
  async [asyncDispose](): Promise<void> {
    await this.end();
  }

  #owner() {
    const session = this;
    return {
      id: this.id,
      requester: this.requester,
      lease: this.#lease,
      get expiresAt() {
        return session.#expiresAt;
      },
    };
  }

  async #renew(): Promise<void> {
    const offset = offsetOf(this.#clocks);
    const { result, sentAt } = await this.#api
      .request<RenewedSession>({
        method: 'POST',
        path: '/Session/renew',
        body: { session: this.id, token: this.#token },
        deadline: this.#lease.deadline,
      })
      .finally(() => this.#lease.mayLast(this.#ttlSeconds * 1000));
    if (result.status === 'NOT_FOUND') {
      this.#lease.lose(new HoldfastError('LEASE_LOST', 'The session has ended'));
      return;
    }
    if (result.expiresAt !== null) this.#expiresAt = new Date(result.expiresAt);
    this.#lease.extend(this.#ttlSeconds * 1000, sentAt, offset);
  }

  async #end(): Promise<number> {
    this.#stop();
    this.#lease.finish();
    const request = {
      method: 'POST' as const,
      path: '/Session/end',
      body: { session: this.id, token: this.#token },
      deadline: Math.max(this.#lease.latestEnd, this.#clocks.monotonic() + MIN_END_MS),
    };
    try {
      return (await this.#api.request<EndedSession>(request)).result.released;
    } catch (error) {
      if (isUnreachable(error)) return 0;
      throw error;
    }
  }
}
