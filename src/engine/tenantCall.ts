/**
 * A call of a verb's script for a tenant, from its place in the tenant's line to its answer. If the script cannot
 * finish yet, it does the missing step and calls it again: loads a tenant that Redis does not have, ends a backlog of
 * expired reservations in pieces, or writes the due index before a lease. It uses callbacks, since a plain request
 * would spend much of its time on promises: only the rare steps are asynchronous functions.
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Charged } from '../domain/quota.ts';
import { requestObserver, type ScriptObserver } from '../domain/scriptObserver.ts';
import type { ScriptCall } from '../redis/functions.ts';
import { expiryKey, expiryShard, tenantKey } from '../redis/keys.ts';
import type { Replication } from '../redis/replication.ts';
import { parseReply, toInteger, toMs } from '../redis/reply.ts';
import { sendScript } from '../redis/scripts.ts';
import type { Receiver } from '../redis/send.ts';
import { rowOf, type Verb } from '../redis/verbs.ts';
import type { Engine } from './engine.ts';
import { lowerDueIndex } from './expiry/dueIndex.ts';
import { isLate, type Line, type LineEntry, LONG_WORK, lineOf, PAGE_WORK, tooBusy } from './line.ts';
import { endBacklog, pauseAfterPiece, yieldToLoop } from './pace.ts';
import { noValidKey, refusal } from './refusal.ts';

/** Number of times that one call loads a tenant which Redis keeps losing. */
const MAX_LOADS = 5;

/**
 * A reply with more parts has an iteration of the event loop to itself, as pages have: to make 500 results of it takes
 * milliseconds. Replies of batches of small requests are shorter (batch.ts).
 */
const LONG_REPLY = 110;

/** Time for which a call keeps ending expired reservations before it fails, in ms. */
const MAX_BACKLOG_MS = 2000;

/** The reply to each item, the quota, and what else a reply says. */
export type Replies = Charged<unknown[]>;

/** The arguments of a call, and the reader of its reply. */
export interface Plan {
  readonly verb: Verb;
  readonly tenant: string;
  readonly keys: readonly string[];
  /** Confirms what the script has written. */
  readonly replication: Replication | undefined;
  /**
   * Returns what the script takes after its keys, anew for each try.
   * @param dueIndexed '' at first, then what was written to the due index (lua/limits/cap.lua)
   */
  args(mayHaveRun: boolean, dueIndexed: string): (string | number)[];
  /** @param result the reply after its code */
  read(result: unknown[], isReplayed: boolean): Replies;
}

/** Makes a call. */
export const run = (engine: Engine, plan: Plan): Promise<Replies> =>
  new Promise((answered, failed) =>
    new TenantCall(engine, lineOf(engine, plan.tenant), plan, { answered, failed }).enter(),
  );

export class TenantCall implements LineEntry, ScriptCall {
  readonly #engine: Engine;
  readonly #line: Line;
  readonly #plan: Plan;
  readonly #receiver: Receiver<Replies>;
  readonly #observer: ScriptObserver | undefined;
  /** Since when it waits in line, in ms. */
  #sinceMs: number | undefined;
  #dueIndexed = '';
  #loads = 0;
  #backlogEndsMs = 0;

  /** @param observer observes the scripts of its request */
  constructor(
    engine: Engine,
    line: Line,
    plan: Plan,
    receiver: Receiver<Replies>,
    observer: ScriptObserver | undefined = requestObserver.getStore(),
  ) {
    this.#engine = engine;
    this.#line = line;
    this.#plan = plan;
    this.#receiver = receiver;
    this.#observer = observer;
  }

  /**
   * Sends its script when the line has room.
   * @param isNext whether it goes on with one that was in flight, ahead of those that wait
   * @throws HoldfastError overloaded if too many requests of the tenant wait
   */
  enter(isNext = false): void {
    if (!isNext) this.#line.refuseIfFull();
    if (!this.#line.isFree) {
      this.#line.waiting++;
      this.#sinceMs = performance.now();
    }
    this.#line.enter(this, isNext);
  }

  start(): boolean {
    if (this.#endWait()) {
      this.#receiver.failed(tooBusy());
      return false;
    }
    const { verb, replication } = this.#plan;
    sendScript(replication?.redis ?? this.#engine.redis, verb, this, this.#observer);
    return true;
  }

  fail(error: unknown): void {
    this.#endWait();
    this.#receiver.failed(error);
  }

  get keys(): readonly string[] {
    return this.#plan.keys;
  }

  args(mayHaveRun: boolean): (string | number)[] {
    return this.#plan.args(mayHaveRun, this.#dueIndexed);
  }

  answered(reply: unknown): void {
    const { replication, tenant, verb } = this.#plan;
    let parts: unknown[];
    let replies: Replies | undefined;
    try {
      parts = parseReply(reply);
      if (parts[0] === 'OK' || parts[0] === 'REPLAYED') replies = this.#plan.read(parts.slice(1), parts[0] !== 'OK');
    } catch (error) {
      this.failed(error);
      return;
    }
    const [code] = parts;
    const isPage = rowOf(verb).isPaged === true;
    this.#line.leave(isPage && replies ? PAGE_WORK : workOf(code, replies));
    // A call that is answered before the backlog has come to its end is answered at once.
    if (this.#backlogEndsMs > 0 && code !== 'AGAIN') endBacklog(this.#engine.redis, tenant);
    const isConfirmed = replication !== undefined && replies !== undefined;
    const isLong = isPage || parts.length > LONG_REPLY;
    if (isConfirmed || isLong)
      this.#later(async () => {
        // In a later iteration of the event loop, the connection may be another one (replication.ts).
        if (isConfirmed) await replication.confirm(tenantKey(tenant));
        if (isLong) await yieldToLoop();
        this.#goOn(parts, replies);
      });
    else this.#goOn(parts, replies);
  }

  failed(error: unknown): void {
    if (isUnavailable(error)) this.#line.fail(error);
    this.#line.leave(undefined);
    this.#receiver.failed(error);
  }

  /** @returns whether it has waited for too long */
  #endWait(): boolean {
    const sinceMs = this.#sinceMs;
    if (sinceMs === undefined) return false;
    this.#sinceMs = undefined;
    this.#line.waiting--;
    return isLate(sinceMs);
  }

  #goOn(parts: readonly unknown[], replies: Replies | undefined): void {
    if (replies !== undefined) {
      this.#receiver.answered(replies);
      return;
    }
    const [code, ...rest] = parts;
    if (code === 'AGAIN') this.#later(() => this.#afterPause());
    else if (code === 'DUE_INDEX') this.#later(() => this.#afterDueIndex(rest));
    else if (code === 'NO_TENANT') this.#later(() => this.#afterLoad());
    else
      this.#later(async () => {
        throw refusal(this.#engine.tiers, this.#plan.verb, code, rest);
      });
  }

  #later(step: () => Promise<void>): void {
    step().catch((error: unknown) => this.#receiver.failed(error));
  }

  async #afterPause(): Promise<void> {
    this.#backlogEndsMs ||= performance.now() + MAX_BACKLOG_MS;
    if (!(await pauseAfterPiece(this.#engine.redis, this.#plan.tenant, this.#backlogEndsMs)))
      throw new HoldfastError(
        'unavailable',
        'A backlog of expired reservations or of waiting requests is being worked off. Repeat the call.',
      );
    this.#again();
  }

  /** Writes the due index. Like the lease that follows, it must survive the loss of its primary. */
  async #afterDueIndex([ms, swept]: readonly unknown[]): Promise<void> {
    const { replication, tenant } = this.#plan;
    await lowerDueIndex(replication?.redis ?? this.#engine.redis, tenant, toMs(ms));
    await replication?.confirm(expiryKey(expiryShard(tenant)));
    this.#dueIndexed = `${toMs(ms)} ${toInteger(swept)}`;
    this.#again();
  }

  async #afterLoad(): Promise<void> {
    if (!(await this.#engine.loadTenant(this.#plan.tenant))) throw noValidKey();
    // The tenant exists, so Redis has lost it again in the meantime.
    if (++this.#loads > MAX_LOADS)
      throw new HoldfastError('unavailable', "Redis keeps losing this tenant's data. Repeat the call.");
    this.#again();
  }

  /** A call that goes on with a backlog lets the tenant's other calls pass: some can be answered in between. */
  #again(): void {
    this.enter(this.#backlogEndsMs === 0);
  }
}

/** The work of a script, in units of lua/frame/work.lua; undefined if it does not say. */
const workOf = (code: unknown, replies: Replies | undefined): number | undefined => {
  if (code === 'OK') return replies?.work;
  return code === 'AGAIN' || code === 'REFUSED' ? LONG_WORK : 0;
};

export const isUnavailable = (error: unknown): boolean =>
  error instanceof HoldfastError && error.code === 'unavailable';
