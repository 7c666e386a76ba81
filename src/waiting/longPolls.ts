/**
 * All long polls of this instance: it sends the response to a request that waits as soon as something is granted, or
 * nothing waits any more, or the time of the call is over (docs/specification.md#waiting).
 */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ReserveItem, ReserveResult, TransactionItem, TransactionResult } from '../contract/reservations.ts';
import { HoldfastError } from '../domain/errors.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import type { TransactionMethod } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import { type Caller, LONG_POLL_PARTS, type Wait } from '../domain/waiting.ts';
import type { Engine, HandOver } from '../engine/engine.ts';
import { leave } from '../engine/waiting/beat.ts';
import type { Bus } from '../events/bus.ts';
import { Places } from '../limits/places.ts';
import { Attendance } from './attendance.ts';
import { LongPoll, type Pending } from './longPoll.ts';
import type { OnWaitEnded } from './news.ts';
import { PendingReserve, PendingTransaction } from './pending.ts';
import { TenantCalls } from './tenantCalls.ts';
import { Deadlines } from './timers.ts';

/** Redis takes an instance for gone after three of these. */
const BEAT_EVERY_MS = 2000;

/** Beats for which a tenant without calls is attended: its next request need not subscribe again. */
const MAX_IDLE_BEATS = 5;

/** A long poll lasts for this time at least, unless another tenant needs its place: its caller repeats it at once. */
const MIN_POLL_MS = 1000;

export interface LongPollsOptions {
  /** Maximum number of calls at a time, of all tenants. */
  readonly maxLongPolls: number;
  readonly log: Logger;
  /** For metrics. */
  readonly onWaitEnded: OnWaitEnded;
}

/** A tenant with calls at this instance. */
interface Tenant {
  readonly attendance: Attendance;
  /** Number of requests that wait, or are about to. */
  requests: number;
  idleBeats: number;
  /** Tickets that are left in this iteration of the event loop. */
  left: string[];
}

export class LongPolls {
  /** Tells this instance apart from others. */
  readonly #instance = randomBytes(6).toString('hex');
  readonly #engine: Engine;
  readonly #bus: Bus;
  readonly #options: LongPollsOptions;
  readonly #tenants = new Map<string, Tenant>();
  readonly #deadlines = new Deadlines<LongPoll>((call) => this.#endInTime(call));
  readonly #timer: NodeJS.Timeout;
  readonly #leaving = new Set<Promise<void>>();
  readonly #places: Places<LongPoll>;
  #isLeaving = false;

  constructor(engine: Engine, bus: Bus, options: LongPollsOptions) {
    this.#engine = engine;
    this.#bus = bus;
    this.#options = options;
    this.#places = new Places(options.maxLongPolls);
    this.#timer = setInterval(() => this.#beat(), BEAT_EVERY_MS).unref();
  }

  /** Number of calls. */
  get size(): number {
    return this.#places.size;
  }

  /**
   * Reserves, and waits for items that ask to.
   * @param pollSeconds how long the response may be held; 0: it is not, and nobody attends the tickets
   * @param idempotency its Idempotency-Key, if it has one
   * @returns a result for each item, in their order
   * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; overloaded if
   * the tenant's calls take up all its places, and have come within the last second; LimitError
   */
  reserve(
    credential: Credential,
    items: readonly ReserveItem[],
    pollSeconds: number,
    caller: Caller,
    idempotency?: Idempotency,
  ): Promise<Charged<ReserveResult[]>> {
    return this.#wait(
      new PendingReserve(this.#engine, credential, items, this.#options.onWaitEnded, idempotency),
      pollSeconds,
      caller,
    );
  }

  /**
   * Carries out a transaction that waits as a whole.
   * @param items reserves only
   * @throws as reserve()
   */
  transaction(
    credential: Credential,
    method: TransactionMethod,
    items: readonly TransactionItem[],
    wait: Wait,
    pollSeconds: number,
    caller: Caller,
    idempotency?: Idempotency,
  ): Promise<Charged<TransactionResult>> {
    const { onWaitEnded } = this.#options;
    const pending = new PendingTransaction(this.#engine, credential, method, items, wait, onWaitEnded, idempotency);
    return this.#wait(pending, pollSeconds, caller);
  }

  /** Prepares calls to which a request may hand over what it releases (src/engine/engine.ts). */
  readonly handOver = (credential: Credential, resources: readonly string[]): HandOver | undefined =>
    this.#tenants.get(credential.tenant)?.attendance.calls.handOver(credential.credentialKey, resources);

  /** Answers all calls with their results so far, and holds no more. Their tickets stay attended for a while. */
  leave(): void {
    this.#isLeaving = true;
    for (const { attendance } of this.#tenants.values()) attendance.calls.leave();
  }

  /** Stops beats and timers. Call it after leave(), when all responses are sent. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#leaving);
  }

  async #wait<Result>(request: Pending<Result>, pollSeconds: number, caller: Caller): Promise<Charged<Result>> {
    if (pollSeconds === 0 || this.#isLeaving) {
      const pollMs = pollSeconds === 0 ? 0 : 1;
      await request.run({ instance: this.#instance, pollMs, isContinuation: false });
      return request.charged;
    }
    const { tenant } = request.credential;
    const polls = this.#tenantOf(tenant);
    polls.requests++;
    const call = new LongPoll(request, caller, pollSeconds * 1000);
    try {
      // After a pause of the process, the close of a connection is read an iteration after the request that came before
      // it.
      await nextIteration();
      await polls.attendance.ready();
      this.#makeRoom(tenant, polls);
      this.#places.add(tenant, call);
      polls.attendance.calls.start(call);
      await call.done;
      if (!caller.isGone) await request.look();
      const kept = request.keep();
      if (kept !== undefined) await kept;
      return request.charged;
    } finally {
      polls.requests--;
      this.#places.delete(tenant, call);
    }
  }

  /**
   * Ends the oldest call of the tenant whose part is used up, or that has most calls while there is no more room.
   * @throws HoldfastError overloaded if it is the tenant of the new call, and this call has just come
   */
  #makeRoom(tenant: string, { attendance }: Tenant): void {
    const share = Math.ceil(this.#options.maxLongPolls * LONG_POLL_PARTS[attendance.tier]);
    const from = this.#places.givesWay(tenant, share);
    if (from === undefined) return;
    const [oldest] = this.#places.of(from);
    if (oldest === undefined) return;
    if (from === tenant && performance.now() - oldest.beganAt < MIN_POLL_MS)
      throw new HoldfastError(
        'overloaded',
        "This instance holds as many of the tenant's waiting requests as it can. Nothing was done: repeat the call.",
      );
    this.#places.delete(from, oldest);
    this.#giveWay(oldest, 0);
  }

  /**
   * Has a call answered before its time.
   * @param minMs not before it has been held for this time
   */
  #giveWay(call: LongPoll, minMs: number): void {
    const calls = this.#tenants.get(call.request.credential.tenant)?.attendance.calls;
    const isOpen = calls?.longPolls.has(call) === true;
    if (isOpen) this.#deadlines.delete(call);
    call.givesWay = true;
    call.endsAt = Math.min(call.endsAt, Math.max(performance.now(), call.beganAt + minMs));
    // A call whose script is running ends when that answers: its time is over.
    if (isOpen && call.leftMs > 0) this.#deadlines.add(call);
    else if (isOpen && !call.isRunning) calls?.end(call);
  }

  #tenantOf(tenant: string): Tenant {
    const existing = this.#tenants.get(tenant);
    if (existing !== undefined) return existing;
    const calls = new TenantCalls({
      instance: this.#instance,
      onLongPoll: (call) => this.#deadlines.add(call),
      onOver: (call) => this.#deadlines.delete(call),
      onLeft: (tickets) => {
        if (polls.left.length === 0) setImmediate(() => this.#flush(tenant, polls));
        polls.left.push(...tickets);
      },
      onCrowded: (call) => this.#giveWay(call, MIN_POLL_MS),
    });
    const { log } = this.#options;
    const deps = { engine: this.#engine, bus: this.#bus, log, instance: this.#instance };
    const polls: Tenant = { attendance: new Attendance(deps, tenant, calls), requests: 0, idleBeats: 0, left: [] };
    this.#tenants.set(tenant, polls);
    return polls;
  }

  /** Tells Redis which tickets were left. If that fails, they count as attended for longer. */
  #flush(tenant: string, polls: Tenant): void {
    const { calls } = polls.attendance;
    const tickets = new Set(polls.left.filter((ticket) => !calls.attends(ticket)));
    polls.left = [];
    if (tickets.size === 0) return;
    const told = leave(this.#engine, tenant, this.#instance, [...tickets])
      .catch((err: unknown) => this.#options.log.debug({ err }, 'leaving tickets failed'))
      .finally(() => {
        this.#leaving.delete(told);
        calls.noteLeft(tickets);
      });
    this.#leaving.add(told);
  }

  #endInTime(call: LongPoll): void {
    // A call whose script is running ends when that answers.
    if (!call.isRunning) this.#tenants.get(call.request.credential.tenant)?.attendance.calls.end(call);
  }

  #beat(): void {
    for (const [tenant, polls] of this.#tenants) {
      polls.idleBeats = polls.requests > 0 ? 0 : polls.idleBeats + 1;
      if (polls.idleBeats <= MAX_IDLE_BEATS) {
        void polls.attendance.beat();
      } else {
        this.#tenants.delete(tenant);
        polls.attendance.close();
      }
    }
  }
}
