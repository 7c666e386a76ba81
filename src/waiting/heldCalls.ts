/**
 * All calls that this instance holds: it sends the response to a request that waits as soon as something is granted, or
 * nothing waits any more, or the time of the call is over (docs/specification.md#waiting).
 */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ReserveItem, ReserveResult, TransactionItem, TransactionResult } from '../contract/reservations.ts';
import { HoldfastError } from '../domain/errors.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { TransactionMethod } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import { type Caller, HELD_SHARE, type Wait } from '../domain/waiting.ts';
import type { Engine } from '../engine/engine.ts';
import { leave } from '../engine/waiting/beat.ts';
import type { Bus } from '../events/bus.ts';
import { Shares } from '../limits/shares.ts';
import { Attendance } from './attendance.ts';
import { Deadlines } from './deadlines.ts';
import { HeldCall } from './heldCall.ts';
import type { Pending } from './pending.ts';
import { PendingReserve } from './pendingReserve.ts';
import { PendingTransaction } from './pendingTransaction.ts';
import { TenantCalls } from './tenantCalls.ts';
import type { OnWaitEnded } from './waitEnd.ts';

/** Redis takes an instance for gone after three of these. */
const BEAT_EVERY_MS = 2000;

/** Turns for which a tenant without calls is attended: its next request need not subscribe again. */
const MAX_IDLE_TURNS = 5;

/** A call is held for this time at least, unless another tenant needs its place: its caller repeats it at once. */
const MIN_HELD_MS = 1000;

export interface HeldCallsOptions {
  /** Maximum number of calls at a time, of all tenants. */
  readonly maxHeld: number;
  readonly log: Logger;
  /** For metrics. */
  readonly onWaitEnded: OnWaitEnded;
}

/** A tenant with calls at this instance. */
interface Line {
  readonly attendance: Attendance;
  /** Number of requests that wait, or are about to. */
  requests: number;
  idleTurns: number;
  /** Tickets that are left in this turn of the event loop. */
  left: string[];
}

export class HeldCalls {
  /** Tells this instance apart from others. */
  readonly #instance = randomBytes(6).toString('hex');
  readonly #engine: Engine;
  readonly #bus: Bus;
  readonly #options: HeldCallsOptions;
  readonly #lines = new Map<string, Line>();
  readonly #deadlines = new Deadlines<HeldCall>((call) => this.#endInTime(call));
  readonly #timer: NodeJS.Timeout;
  readonly #leaving = new Set<Promise<void>>();
  readonly #shares: Shares<HeldCall>;
  #isLeaving = false;

  constructor(engine: Engine, bus: Bus, options: HeldCallsOptions) {
    this.#engine = engine;
    this.#bus = bus;
    this.#options = options;
    this.#shares = new Shares(options.maxHeld);
    this.#timer = setInterval(() => this.#turn(), BEAT_EVERY_MS).unref();
  }

  /** Number of calls. */
  get size(): number {
    return this.#shares.size;
  }

  /**
   * Reserves, and waits for items that ask to.
   * @param pollSeconds how long the response may be held; 0: it is not, and nobody attends the tickets
   * @param once its Idempotency-Key, if it has one
   * @returns a result for each item, in their order
   * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the request is too large; overloaded if
   * the tenant's calls take up all its places, and have come within the last second; LimitError
   */
  reserve(
    credential: Credential,
    items: readonly ReserveItem[],
    pollSeconds: number,
    caller: Caller,
    once?: Once,
  ): Promise<Charged<ReserveResult[]>> {
    return this.#wait(
      new PendingReserve(this.#engine, credential, items, this.#options.onWaitEnded, once),
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
    once?: Once,
  ): Promise<Charged<TransactionResult>> {
    const { onWaitEnded } = this.#options;
    const pending = new PendingTransaction(this.#engine, credential, method, items, wait, onWaitEnded, once);
    return this.#wait(pending, pollSeconds, caller);
  }

  /** Answers all calls with their results so far, and holds no more. Their tickets stay attended for a while. */
  leave(): void {
    this.#isLeaving = true;
    for (const { attendance } of this.#lines.values()) attendance.calls.leave();
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
    const line = this.#lineOf(tenant);
    line.requests++;
    const call = new HeldCall(request, caller, pollSeconds * 1000);
    try {
      // After a pause of the process, the close of a connection is read a turn after the request that came before it.
      await nextTurn();
      await line.attendance.ready();
      this.#makeRoom(tenant, line);
      this.#shares.add(tenant, call);
      line.attendance.calls.start(call);
      await call.done;
      const kept = request.keep();
      if (kept !== undefined) await kept;
      return request.charged;
    } finally {
      line.requests--;
      this.#shares.delete(tenant, call);
    }
  }

  /**
   * Ends the oldest call of the tenant whose share is used up, or that has most calls while there is no more room.
   * @throws HoldfastError overloaded if it is the tenant of the new call, and this call has just come
   */
  #makeRoom(tenant: string, { attendance }: Line): void {
    const share = Math.ceil(this.#options.maxHeld * HELD_SHARE[attendance.tier]);
    const from = this.#shares.givesWay(tenant, share);
    if (from === undefined) return;
    const [oldest] = this.#shares.of(from);
    if (oldest === undefined) return;
    if (from === tenant && performance.now() - oldest.beganAt < MIN_HELD_MS)
      throw new HoldfastError(
        'overloaded',
        "This instance holds as many of the tenant's waiting requests as it can. Nothing was done: repeat the call.",
      );
    this.#shares.delete(from, oldest);
    this.#giveWay(oldest, 0);
  }

  /**
   * Has a call answered before its time.
   * @param minHeldMs not before it has been held for this time
   */
  #giveWay(call: HeldCall, minHeldMs: number): void {
    const calls = this.#lines.get(call.request.credential.tenant)?.attendance.calls;
    const isHeld = calls?.held.has(call) === true;
    if (isHeld) this.#deadlines.delete(call);
    call.givesWay = true;
    call.endsAt = Math.min(call.endsAt, Math.max(performance.now(), call.beganAt + minHeldMs));
    // A call whose script is running ends when that answers: its time is over.
    if (isHeld && call.leftMs > 0) this.#deadlines.add(call);
    else if (isHeld && !call.isRunning) calls?.end(call);
  }

  #lineOf(tenant: string): Line {
    const existing = this.#lines.get(tenant);
    if (existing !== undefined) return existing;
    const calls = new TenantCalls({
      instance: this.#instance,
      onHeld: (call) => this.#deadlines.add(call),
      onOver: (call) => this.#deadlines.delete(call),
      onLeft: (tickets) => {
        if (line.left.length === 0) setImmediate(() => this.#flush(tenant, line));
        line.left.push(...tickets);
      },
      onCrowded: (call) => this.#giveWay(call, MIN_HELD_MS),
    });
    const { log } = this.#options;
    const deps = { engine: this.#engine, bus: this.#bus, log, instance: this.#instance };
    const line: Line = { attendance: new Attendance(deps, tenant, calls), requests: 0, idleTurns: 0, left: [] };
    this.#lines.set(tenant, line);
    return line;
  }

  /** Tells Redis which tickets were left. If that fails, they count as attended for longer. */
  #flush(tenant: string, line: Line): void {
    const { calls } = line.attendance;
    const tickets = new Set(line.left.filter((ticket) => !calls.attends(ticket)));
    line.left = [];
    if (tickets.size === 0) return;
    const told = leave(this.#engine, tenant, this.#instance, [...tickets])
      .catch((err: unknown) => this.#options.log.debug({ err }, 'leaving tickets failed'))
      .finally(() => {
        this.#leaving.delete(told);
        calls.noteLeft(tickets);
      });
    this.#leaving.add(told);
  }

  #endInTime(call: HeldCall): void {
    // A call whose script is running ends when that answers.
    if (!call.isRunning) this.#lines.get(call.request.credential.tenant)?.attendance.calls.end(call);
  }

  #turn(): void {
    for (const [tenant, line] of this.#lines) {
      line.idleTurns = line.requests > 0 ? 0 : line.idleTurns + 1;
      if (line.idleTurns <= MAX_IDLE_TURNS) {
        void line.attendance.turn();
      } else {
        this.#lines.delete(tenant);
        line.attendance.close();
      }
    }
  }
}
