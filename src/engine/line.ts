/**
 * The line of a tenant: its script calls that are in flight from this instance, and those that wait in line, in
 * the order in which they came. It bounds the work in flight to about 2 ms of Redis: two calls of up to 2 ms each, more
 * short ones, or one that is longer. So a call of another tenant finds little ahead of it in Redis, however much one
 * tenant asks for.
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Engine } from './engine.ts';

/** Work of a tenant in flight, in units of lua/frame/work.lua: each is about a microsecond of Redis. */
const MAX_WORK = 2000;
/** Calls that are not longer than that: Redis has the next one while the reply to the one before travels. */
const MIN_CALLS = 2;
/** A call counts at least this much, so 20 are in flight at most: the next one may be longer than those before. */
const LEAST_WORK = 100;
/** Part by which the expected work falls with each call that needs less. */
const FALL = 0.8;
/** For how long a line without calls in flight keeps what its calls are expected to take, in ms. */
const KEEP_MS = 1000;
/** With more lines than these, those without calls are forgotten at once. */
const MAX_IDLE = 2000;
/** Requests that wait in a line: a quarter of those that an instance has in flight by default. */
const MAX_WAITING = 1024;
/** Requests that have waited longer than this are refused: their callers would give up soon. */
const PATIENCE_MS = 1500;

/** The work of a call that is as long as calls may be: the work budget (lua/frame/work.lua). */
export const LONG_WORK = 8000;
/** The work of a call that reads a page. */
export const PAGE_WORK = 1000;

/** An entry of a line: a call, or the requests of a batch (batch.ts). */
export interface LineEntry {
  /** Sends its call. Returns false if there is nothing to send any more. */
  start(): boolean;
  /** Called instead of start(), if Redis cannot be reached. */
  fail(error: unknown): void;
}

export class Line {
  /** Number of requests that wait. Each counts itself. */
  waiting = 0;
  readonly #batchers = new Map<string, Map<string, LineEntry>>();
  readonly #entries: LineEntry[] = [];
  readonly #lines: Map<string, Line>;
  readonly #tenant: string;
  #inFlight = 0;
  /** Expected work of a call: that of the longest of the last ones. It is not known at first, or after a pause. */
  #work = MAX_WORK;
  /** When its last call ended, in ms. */
  #endedMs = 0;

  /** @param lines of the instance: it adds itself */
  constructor(lines: Map<string, Line>, tenant: string) {
    this.#lines = lines;
    this.#tenant = tenant;
    lines.set(tenant, this);
  }

  /** Returns true if a call would be sent at once. */
  get isFree(): boolean {
    return this.#entries.length === 0 && this.#hasRoom();
  }

  /** Credential → the batches that join its requests for a verb (batch.ts). */
  batchers(verb: string): Map<string, LineEntry> {
    let batchers = this.#batchers.get(verb);
    if (batchers === undefined) {
      batchers = new Map();
      this.#batchers.set(verb, batchers);
    }
    return batchers;
  }

  /** Throws HoldfastError overloaded, if too many requests wait. */
  refuseIfFull(): void {
    if (this.waiting < MAX_WAITING) return;
    throw new HoldfastError(
      'overloaded',
      'Too many requests of this tenant wait for each other at this instance. Nothing was done: repeat the call.',
    );
  }

  /**
   * Starts a call when the line has room: at once, or out of leave().
   * @param isNext whether it goes on with one that was in flight, ahead of those that wait
   */
  enter(entry: LineEntry, isNext = false): void {
    if (this.#inFlight === 0 && performance.now() - this.#endedMs > KEEP_MS) this.#work = MAX_WORK;
    if (this.isFree) this.#start(entry);
    else if (isNext) this.#entries.unshift(entry);
    else this.#entries.push(entry);
  }

  /**
   * Ends a call that was started, and starts those that there is room for now.
   * @param work of its script; undefined if that is not known
   */
  leave(work: number | undefined): void {
    if (work !== undefined) this.#work = Math.max(work, this.#work * FALL, LEAST_WORK);
    this.#inFlight--;
    while (this.#entries.length > 0 && this.#hasRoom()) {
      const next = this.#entries.shift();
      if (next !== undefined) this.#start(next);
    }
    if (this.#inFlight > 0) return;
    this.#endedMs = performance.now();
    if (this.waiting === 0 && this.#lines.size > MAX_IDLE) this.#lines.delete(this.#tenant);
  }

  /** Fails those that wait, since Redis cannot be reached. */
  fail(error: unknown): void {
    for (const entry of this.#entries.splice(0)) entry.fail(error);
  }

  #hasRoom(): boolean {
    const calls = this.#inFlight;
    return calls === 0 || (this.#work <= MAX_WORK && calls < MIN_CALLS) || (calls + 1) * this.#work <= MAX_WORK;
  }

  #start(entry: LineEntry): void {
    this.#inFlight++;
    if (!entry.start()) this.#inFlight--;
  }
}

const linesOf = new WeakMap<Engine, Map<string, Line>>();

/** Returns the line of a tenant at an instance. */
export function lineOf(engine: Engine, tenant: string): Line {
  let lines = linesOf.get(engine);
  if (lines === undefined) {
    lines = new Map();
    linesOf.set(engine, lines);
  }
  return lines.get(tenant) ?? new Line(lines, tenant);
}

/** Returns true if a request has waited for too long. */
export const isLate = (sinceMs: number): boolean => performance.now() - sinceMs > PATIENCE_MS;

export const tooBusy = (): HoldfastError =>
  new HoldfastError(
    'overloaded',
    "This tenant's earlier requests take longer than this one can wait. Nothing was done: repeat the call.",
  );
