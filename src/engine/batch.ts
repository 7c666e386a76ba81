/**
 * Batches requests of one caller: those that start together (src/http/admission/admission.ts) go into one call, and
 * those that arrive while the caller's calls are in flight go into the next one. The fixed cost of a call (round trip,
 * credential check, quota, writes, event) is then paid once for all of them.
 */
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import { requestObserver, type ScriptObserver } from '../domain/scriptObserver.ts';
import type { Credential } from '../domain/tenants.ts';
import { joined } from '../redis/layouts.ts';
import { toText } from '../redis/reply.ts';
import { chargedPlan, readPlan } from './call.ts';
import type { Engine } from './engine.ts';
import { isLate, type Line, type LineEntry, lineOf, tooBusy } from './line.ts';
import { refusal } from './refusal.ts';
import { isUnavailable, type Plan, type Replies, TenantCall } from './tenantCall.ts';

/** Verbs whose scripts handle each item on its own. */
type BatchVerb = 'reserve' | 'unreserve' | 'renew' | 'check' | 'available';

/** Calls of one caller and verb that are in flight or have a place in the line, before its requests wait. */
const MAX_CALLS = 2;

/** Maximum number of items of a batch: they keep Redis busy for about a millisecond, */
const MAX_ITEMS = 100;
/** and maximum work of those with long plans, in units of lua/frame/work.lua. */
const MAX_WORK = 1000;

/**
 * A request with more items gets a call of its own at once: the fixed cost of a call matters little to it, and Redis
 * would be idle while the request waits.
 */
const MAX_ITEMS_OF_ONE = 20;

/** With more batchers of a verb in a line than these, those without calls are forgotten at once. */
const MAX_IDLE = 4;

/** A request that may go into a batch. */
interface Request {
  readonly args: readonly (string | number)[];
  /** Number of its items. */
  readonly items: number;
  readonly sinceMs: number;
  readonly observer: ScriptObserver | undefined;
  /** @param from where the replies to its items begin among those of the call */
  answered(replies: Replies, from?: number): void;
  failed(error: unknown): void;
}

/**
 * Calls a script for the items of one request, together with other requests if they arrive meanwhile.
 * @param items number of items
 * @param args what the script takes for the items
 * @param idempotency the Idempotency-Key of the request. Its reply is kept, so it is in no batch
 * @param read makes the result of the replies to the items, which begin at `from` among those of the call
 * @throws as callCharged(); HoldfastError overloaded if too many requests of the tenant wait
 */
export const callInBatch = <Result>(
  engine: Engine,
  verb: BatchVerb,
  credential: Credential,
  items: number,
  args: readonly (string | number)[],
  idempotency: Idempotency | undefined,
  read: (replies: readonly unknown[], from: number) => Result,
): Promise<Charged<Result>> =>
  new Promise((resolve, failed) => {
    const answered = (replies: Replies, from = 0) => {
      try {
        resolve({ ...replies, result: read(replies.result, from) });
      } catch (error) {
        failed(error);
      }
    };
    const line = lineOf(engine, credential.tenant);
    if (items > MAX_ITEMS_OF_ONE || idempotency !== undefined) {
      const plan = planOf(engine, verb, credential, args, [items], idempotency);
      new TenantCall(engine, line, plan, { answered, failed }).enter();
      return;
    }
    const known = line.batchers(verb).get(credential.credentialKey);
    const batcher = known instanceof Batcher ? known : new Batcher(engine, line, verb, credential);
    const observer = requestObserver.getStore();
    batcher.add({ args, items, sinceMs: performance.now(), observer, answered, failed });
  });

/** Joins the requests of one caller and verb into batches. */
export class Batcher implements LineEntry {
  readonly #engine: Engine;
  readonly #line: Line;
  readonly #verb: BatchVerb;
  readonly #credential: Credential;
  /** Those of the verb in the line, by credential. */
  readonly #batchers: Map<string, LineEntry>;
  /** Requests that wait. While there are any, a call is in flight or has a place in the line. */
  readonly #queue: Request[] = [];
  /** Its calls that are in flight or have a place in the line. */
  #calls = 0;
  /** True if a call begins once all requests that start together are here. */
  #isGathering = false;
  /** Work of an item in the last call. */
  #itemWork = 0;

  constructor(engine: Engine, line: Line, verb: BatchVerb, credential: Credential) {
    this.#engine = engine;
    this.#line = line;
    this.#verb = verb;
    this.#credential = credential;
    this.#batchers = line.batchers(verb);
  }

  /** @throws HoldfastError overloaded if too many requests of the tenant wait */
  add(request: Request): void {
    this.#line.refuseIfFull();
    if (this.#calls === 0) this.#batchers.set(this.#credential.credentialKey, this);
    this.#queue.push(request);
    this.#line.waiting++;
    if (this.#calls >= MAX_CALLS || this.#isGathering) return;
    this.#isGathering = true;
    queueMicrotask(() => {
      this.#isGathering = false;
      this.#enterNext();
    });
  }

  start(): boolean {
    const batch = this.#takeBatch();
    const isSent = batch.length > 0;
    if (isSent) {
      this.#callFor(batch).start();
      this.#enterNext();
    } else this.#endCall();
    return isSent;
  }

  fail(error: unknown): void {
    this.#failQueue(error);
    this.#endCall();
  }

  /** Takes as many requests as fit into one call, and at least one. Those that have waited for too long are refused. */
  #takeBatch(): Request[] {
    const inTime = this.#queue.findIndex(({ sinceMs }) => !isLate(sinceMs));
    for (const { failed } of this.#take(inTime === -1 ? this.#queue.length : inTime)) failed(tooBusy());
    const maxItems = Math.min(MAX_ITEMS, MAX_WORK / this.#itemWork);
    let items = 0;
    const end = this.#queue.findIndex((one) => {
      items += one.items;
      return items > maxItems;
    });
    return this.#take(end === -1 ? this.#queue.length : Math.max(end, 1));
  }

  #take(requests: number): Request[] {
    this.#line.waiting -= requests;
    return this.#queue.splice(0, requests);
  }

  #failQueue(error: unknown): void {
    for (const { failed } of this.#take(this.#queue.length)) failed(error);
  }

  /** Gives a call to the requests that wait, if one may begin. */
  #enterNext(): void {
    if (this.#queue.length === 0 || this.#calls >= MAX_CALLS) return;
    this.#calls++;
    this.#line.enter(this);
  }

  #endCall(): void {
    this.#calls--;
    this.#enterNext();
    if (this.#calls === 0 && this.#batchers.size > MAX_IDLE) this.#batchers.delete(this.#credential.credentialKey);
  }

  /** @param requests at least one */
  #callFor(requests: readonly Request[]): TenantCall {
    const [first] = requests;
    const args = requests.length === 1 ? (first?.args ?? []) : joined(requests, (one) => one.args);
    const sizes = requests.map(({ items }) => items);
    const plan = planOf(this.#engine, this.#verb, this.#credential, args, sizes);
    const receiver = {
      answered: (replies: Replies) => this.#answered(requests, replies),
      failed: (error: unknown) => this.#failed(requests, error),
    };
    return new TenantCall(this.#engine, this.#line, plan, receiver, first?.observer);
  }

  #answered(requests: readonly Request[], replies: Replies): void {
    const { result, work } = replies;
    const refused = requests.length > 1 ? result.pop() : '';
    if (work !== undefined) this.#itemWork = work / result.length;
    this.#endCall();
    let refusals: ReadonlyMap<number, Error> | undefined;
    try {
      refusals = refusalsOf(this.#engine, this.#verb, refused);
    } catch (error) {
      for (const one of requests) one.failed(error);
      return;
    }
    let from = 0;
    for (const [i, one] of requests.entries()) {
      const refusal = refusals?.get(i);
      if (refusal === undefined) one.answered(replies, from);
      else one.failed(refusal);
      from += one.items;
    }
  }

  #failed(requests: readonly Request[], error: unknown): void {
    if (requests.length > 1 && !isSameForAll(error)) {
      this.#sendAlone(requests);
      return;
    }
    // Queued requests have waited about as long as these: they fail now too.
    if (isUnavailable(error)) this.#failQueue(error);
    this.#endCall();
    for (const one of requests) one.failed(error);
  }

  /**
   * Sends each request of a batch by itself: together they exceed the work budget, or one of them names what its key
   * may not change. Nothing was done or charged.
   */
  #sendAlone(requests: readonly Request[]): void {
    this.#calls += requests.length;
    for (const one of requests) {
      try {
        this.#callFor([one]).enter();
      } catch (error) {
        this.#endCall();
        one.failed(error);
      }
    }
    this.#endCall();
  }
}

/** The requests that a batch refuses, by their numbers (lua/frame/batch.lua). */
const Refusals = z.array(z.tuple([z.int(), z.string()], z.unknown()));

function refusalsOf(engine: Engine, verb: BatchVerb, reply: unknown): ReadonlyMap<number, Error> | undefined {
  const text = toText(reply);
  if (text === '') return undefined;
  const refusals = Refusals.parse(JSON.parse(text));
  return new Map(refusals.map(([number, code, ...rest]) => [number, refusal(engine.tiers, verb, code, rest)]));
}

/** Returns true if each request of the call would get this error: it names the place of none of their items. */
const isSameForAll = (error: unknown): boolean =>
  error instanceof HoldfastError && error.code !== 'refused' && !error.message.startsWith('[');

/** @param sizes the numbers of items of the requests */
function planOf(
  engine: Engine,
  verb: BatchVerb,
  credential: Credential,
  args: readonly (string | number)[],
  sizes: readonly number[],
  idempotency?: Idempotency,
): Plan {
  if (verb === 'check' || verb === 'available') return readPlan(verb, credential, sizes, () => args);
  return chargedPlan(engine, verb, credential, () => args, { idempotency, ...(sizes.length > 1 && { sizes }) });
}
