/**
 * A session: many reservations of one requester, kept by one heartbeat (docs/specification.md#sessions). It renews
 * itself until it ends.
 */
import { type Duration, ttlSecondsOf } from '../durations.ts';
import { HoldfastError, refuseUnknown } from '../errors.ts';
import { offsetOf } from '../holds/clocks.ts';
import { asyncDispose, type Hold, isUnreachable } from '../holds/hold.ts';
import { Lease } from '../holds/lease.ts';
import { planOf, type Target } from '../holds/plan.ts';
import { randomText } from '../holds/requesters.ts';
import type { Reserver } from '../holds/reserver.ts';
import type { Api, CallOptions } from '../http/api.ts';
import type { BegunSession, EndedSession, RenewedSession, ReserveOptions } from '../types.ts';

/** Options of a new session. */
export interface SessionOptions {
  /**
   * Time that it lasts without a renewal: 30 s if absent, at least 5 s. It renews itself after each third of that.
   */
  readonly ttl?: Duration | undefined;
  /** Who reserves in it. The default is unique to each session. */
  readonly requester?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of reserve in a session, which has the lease and the requester. */
export type SessionReserveOptions = Omit<ReserveOptions, 'ttl' | 'requester'>;

export class LiveSession {
  readonly id: string;
  /** The requester of all its reservations: they do not exclude each other. */
  readonly requester: string;
  readonly #api: Api;
  readonly #reserver: Reserver;
  readonly #token: string;
  readonly #ttlMs: number;
  readonly #lease: Lease;
  #stop: (() => void) | undefined;
  #expiresAt: Date;
  #ended: Promise<number> | undefined;

  private constructor(
    api: Api,
    reserver: Reserver,
    requester: string,
    ttlMs: number,
    { session, token, expiresAt }: BegunSession,
    lease: Lease,
  ) {
    this.#api = api;
    this.#reserver = reserver;
    this.requester = requester;
    this.id = session;
    this.#token = token;
    this.#expiresAt = new Date(expiresAt);
    this.#ttlMs = ttlMs;
    this.#lease = lease;
  }

  /** Sessions are begun by `holdfast.session()`. */
  static async begin(
    api: Api,
    reserver: Reserver,
    requester: string,
    { ttl, signal, requester: _, ...rest }: SessionOptions,
  ): Promise<LiveSession> {
    refuseUnknown(rest);
    const ttlSeconds = ttlSecondsOf(ttl);
    const ttlMs = ttlSeconds * 1000;
    for (;;) {
      const lease = new Lease('the session', reserver.clocks);
      const offset = offsetOf(reserver.clocks);
      const { result, sentAt, repeated } = await api.request<BegunSession>({
        method: 'POST',
        path: '/Session',
        body: { requester, ttlSeconds },
        has: 'token',
        idempotencyKey: randomText(26),
        signal,
      });
      lease.extend(ttlMs, sentAt, offset);
      const session = new LiveSession(api, reserver, requester, ttlMs, result, lease);
      // The response may be that of an earlier attempt. Only a renewal says whether the session has ended, and when it
      // ends. It has the time that any call has: the lease may be much longer, or over.
      if (repeated) await session.#renew({ signal });
      if (repeated && lease.lost !== undefined) continue;
      session.#stop = reserver.keeper.keep(lease, () => session.#renew());
      return session;
    }
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

  async #renew(options: CallOptions = { deadline: this.#lease.deadline }): Promise<void> {
    const offset = offsetOf(this.#reserver.clocks);
    const { result, sentAt } = await this.#api
      .request<RenewedSession>({
        method: 'POST',
        path: '/Session/renew',
        body: { session: this.id, token: this.#token },
        has: 'status',
        onFailure: (error) => this.#lease.failed(error),
        ...options,
      })
      .finally(() => this.#lease.mayLast(this.#ttlMs));
    if (result.status === 'NOT_FOUND') {
      this.#lease.lose(new HoldfastError('LEASE_LOST', 'The session has ended'));
      return;
    }
    if (result.expiresAt !== null) this.#expiresAt = new Date(result.expiresAt);
    this.#lease.extend(this.#ttlMs, sentAt, offset);
  }

  async #end(): Promise<number> {
    this.#stop?.();
    this.#lease.finish();
    const request = {
      method: 'POST' as const,
      path: '/Session/end',
      body: { session: this.id, token: this.#token },
      has: 'released',
      deadline: this.#lease.end,
    };
    try {
      return (await this.#api.request<EndedSession>(request)).result.released;
    } catch (error) {
      if (isUnreachable(error)) return 0;
      throw error;
    }
  }
}

/** The result of `session`. In tests, any object with these members is one. */
export interface Session extends Pick<LiveSession, keyof LiveSession> {}
