/**
 * A call of a verb's script for a tenant, from its turn in the tenant's line to its answer. If the script cannot finish
 * yet, it does the missing step and calls it again: loads a tenant that Redis does not have, ends a backlog of expired
 * reservations in pieces, or writes the expiry index before a lease. It uses callbacks, since a plain request would
 * spend much of its time on promises: only the rare steps are asynchronous functions.
 */
import { HoldfastError } from '../domain/errors.ts';
import { expiryKey, expiryShard, tenantKey } from '../redis/keys.ts';
import type { Replication } from '../redis/replication.ts';
import { parseReply, toInteger, toMs } from '../redis/reply.ts';
import { requestObserver, runScript, type ScriptObserver, sendScript, type Verb } from '../redis/scripts.ts';
import type { Receiver } from '../redis/send.ts';
import { endBacklog, pauseAfterPiece } from './backlog.ts';
import type { Engine } from './call.ts';
import { isLate, type Line, lineOf, type Turn, tooBusy } from './line.ts';
import { ownTurn } from './ownTurn.ts';
import { noValidKey, refusal } from './refusal.ts';

/** How many times one call loads a tenant that Redis keeps losing. */
const MAX_LOADS = 5;

/**
 * A reply with more parts has a turn of the event loop to itself, as pages have: to make 500 results of it takes
 * milliseconds. Replies of calls that small requests share are shorter (batch.ts).
 */
const LONG_REPLY = 110;

/** How long a call keeps ending expired reservations before it fails, in ms. */
const MAX_BACKLOG_MS = 2000;

/** What a call sends, and how its reply is read. */
export interface Plan<Answer> {
  readonly verb: Verb;
  readonly tenant: string;
  readonly keys: readonly string[];
  /** Confirms what the script has written. */
  readonly replication?: Replication | undefined;
  /** Whether its reply is a page. */
  readonly isPaged: boolean;
  /**
   * Returns what the script takes after its keys, anew for each try.
   * @param indexed '' at first, then what was written to the expiry index (lua/limits/cap.lua)
   */
  args(mayHaveRun: boolean, indexed: string): (string | number)[];
  /** Returns the work of the script, in units of lua/frame/work.lua; undefined if the reply does not say. */
  workOf(reply: readonly unknown[]): number | undefined;
  /** @param result the reply after its code */
  read(result: unknown[], isReplayed: boolean): Answer;
}

/** Makes a call. A promise of its answer. */
export const run = <Answer>(engine: Engine, plan: Plan<Answer>): Promise<Answer> =>
  new Promise((answered, failed) => new TenantCall(engine, plan, { answered, failed }).enter());

export class TenantCall<Answer> implements Turn {
  readonly #engine: Engine;
  readonly #line: Line;
  readonly #plan: Plan<Answer>;
  readonly #receiver: Receiver<Answer>;
  readonly #observer: ScriptObserver | undefined;
  /** Since when it waits for its turn, in ms. */
  #sinceMs: number | undefined;
  #indexed = '';
  #loads = 0;
  #backlogEndsMs = 0;

  /** @param observer observes the scripts of its request */
  constructor(
    engine: Engine,
    plan: Plan<Answer>,
    receiver: Receiver<Answer>,
    observer: ScriptObserver | undefined = requestObserver.getStore(),
  ) {
    this.#engine = engine;
    this.#line = lineOf(engine, plan.tenant);
    this.#plan = plan;
    this.#receiver = receiver;
    this.#observer = observer;
  }

  /**
   * Sends its script when its turn comes.
   * @param isNext whether it goes on with one that had its turn, ahead of those that wait
   * @throws HoldfastError overloaded if too many requests of the tenant wait
   */
  enter(isNext = false): void {
    if (!this.#line.isFree) {
      if (!isNext) this.#line.refuseIfFull();
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

  args(mayHaveRun: boolean): (string | number)[] {
    const { keys, args } = this.#plan;
    return [...keys, ...args(mayHaveRun, this.#indexed)];
  }

  answered(reply: unknown): void {
    const { replication, tenant, isPaged, workOf } = this.#plan;
    let parts: unknown[];
    let work: number | undefined;
    try {
      parts = parseReply(reply);
      work = workOf(parts);
    } catch (error) {
      this.failed(error);
      return;
    }
    this.#line.leave(work);
    const [code, ...rest] = parts;
    // A call that is answered before the backlog has come to its end is answered at once.
    if (this.#backlogEndsMs > 0 && code !== 'AGAIN') endBacklog(this.#engine.redis, tenant);
    const isConfirmed = replication !== undefined && (code === 'OK' || code === 'REPLAYED');
    const isLong = isPaged || rest.length > LONG_REPLY;
    if (isConfirmed || isLong)
      this.#later(async () => {
        // In a later turn of the event loop, the connection may be another one (replication.ts).
        if (isConfirmed) await replication.confirm(tenantKey(tenant));
        if (isLong) await ownTurn();
        this.#goOn(code, rest);
      });
    else this.#goOn(code, rest);
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

  /** @param rest the reply after its code */
  #goOn(code: unknown, rest: unknown[]): void {
    const { verb, read } = this.#plan;
    try {
      if (code === 'OK' || code === 'REPLAYED') this.#receiver.answered(read(rest, code === 'REPLAYED'));
      else if (code === 'AGAIN') this.#later(() => this.#afterPause());
      else if (code === 'INDEX') this.#later(() => this.#afterIndex(rest));
      else if (code === 'NO_TENANT') this.#later(() => this.#afterLoad());
      else throw refusal(this.#engine.tiers, verb, code, rest);
    } catch (error) {
      this.#receiver.failed(error);
    }
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

  /** Writes the expiry index. Like the lease that follows, it must survive the loss of its primary. */
  async #afterIndex([ms, swept]: readonly unknown[]): Promise<void> {
    const { replication, tenant } = this.#plan;
    const shard = expiryKey(expiryShard(tenant));
    await runScript(replication?.redis ?? this.#engine.redis, 'lowerIndex', shard, tenant, toMs(ms));
    await replication?.confirm(shard);
    this.#indexed = `${toMs(ms)} ${toInteger(swept)}`;
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

export const isUnavailable = (error: unknown): boolean =>
  error instanceof HoldfastError && error.code === 'unavailable';
