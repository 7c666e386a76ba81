/**
 * Bounds the work of one tenant that is in flight in Redis from this instance: about 2 ms of it, two calls of up to
 * 2 ms each, or one that is longer. Its further calls wait here, in the order in which they came. So a call of another
 * tenant finds little ahead of it in Redis, however much one tenant asks for.
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Engine } from './call.ts';

/** Work of a tenant in flight, in units of lua/frame/work.lua: each is about a microsecond of Redis. */
const MAX_WORK = 2000;
/** Calls that are not longer than that: Redis has the next one while the reply to the one before travels. */
const MIN_CALLS = 2;
/** A call counts at least this much, so 20 are in flight at most: the next one may be longer than those before. */
const LEAST_WORK = 100;
/** How far the expected work falls with each call that needs less. */
const FALL = 0.8;
/** For how long a tenant without calls in flight keeps what its calls are expected to take, in ms. */
const KEEP_MS = 1000;
/** With more tenants than these, those without calls are forgotten at once. */
const MAX_IDLE = 10_000;
/**
 * Calls of a tenant that wait here, with the requests that wait to share one: a quarter of the requests that an
 * instance has in flight by default.
 */
const MAX_WAITING = 1024;
/** Calls that have waited longer than this are refused: their callers would give up soon. */
const PATIENCE_MS = 1500;

/** The work of a call that is as long as calls may be: the work budget (lua/frame/work.lua). */
export const LONG_WORK = 8000;
/** The work of a call that reads a page. */
export const PAGE_WORK = 1000;

interface Waiting {
  readonly sinceMs: number;
  readonly start: () => void;
  readonly fail: (error: unknown) => void;
}

/** The calls of a tenant. */
interface Line {
  inFlight: number;
  /** Expected work of a call: that of the longest of the last ones. It is not known at first, or after a pause. */
  work: number;
  /** When its last call ended, in ms. */
  endedMs: number;
  readonly waiting: Waiting[];
  /** How many requests wait to share a call (coalesce.ts). */
  sharing: number;
}

/** A reply, and the work of its script: undefined if it does not say. */
export interface Replied<Reply> {
  readonly reply: Reply;
  readonly work: number | undefined;
}

const linesOf = new WeakMap<Engine, Map<string, Line>>();

/**
 * Makes a call when it is the tenant's turn.
 * @param isNext whether the call goes on with one that had its turn, ahead of those that wait
 * @returns the reply
 * @throws what the call throws; HoldfastError overloaded if the tenant's calls before it take too long, or are too
 * many; unavailable as soon as one of them finds Redis away
 */
export async function inTurn<Reply>(
  engine: Engine,
  tenant: string,
  isNext: boolean,
  call: () => Promise<Replied<Reply>>,
): Promise<Reply> {
  const [line, lines] = lineOf(engine, tenant);
  if (line.inFlight === 0 && performance.now() - line.endedMs > KEEP_MS) line.work = MAX_WORK;
  if (line.waiting.length === 0 && hasRoom(line)) line.inFlight++;
  else if (isFull(line) && !isNext) throw tooMany();
  else
    await new Promise<void>((start, fail) => {
      const waiting = { sinceMs: performance.now(), start, fail };
      if (isNext) line.waiting.unshift(waiting);
      else line.waiting.push(waiting);
    });
  try {
    const { reply, work } = await call();
    if (work !== undefined) line.work = Math.max(work, line.work * FALL, LEAST_WORK);
    return reply;
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'unavailable')
      for (const { fail } of line.waiting.splice(0)) fail(error);
    throw error;
  } finally {
    line.inFlight--;
    startNext(line);
    if (line.inFlight === 0) {
      line.endedMs = performance.now();
      forgetIdle(lines, tenant, line);
    }
  }
}

/**
 * Counts a request that begins to wait, to share a call of its tenant.
 * @throws HoldfastError overloaded if too many wait
 */
export function beginSharing(engine: Engine, tenant: string): void {
  const [line] = lineOf(engine, tenant);
  if (isFull(line)) throw tooMany();
  line.sharing++;
}

/** Counts requests that wait no more to share a call. */
export function endSharing(engine: Engine, tenant: string, requests: number): void {
  if (requests === 0) return;
  const [line, lines] = lineOf(engine, tenant);
  line.sharing -= requests;
  forgetIdle(lines, tenant, line);
}

function lineOf(engine: Engine, tenant: string): [line: Line, lines: Map<string, Line>] {
  const lines = linesOf.get(engine) ?? new Map<string, Line>();
  linesOf.set(engine, lines);
  const line = lines.get(tenant) ?? { inFlight: 0, work: MAX_WORK, endedMs: 0, waiting: [], sharing: 0 };
  lines.set(tenant, line);
  return [line, lines];
}

function forgetIdle(lines: Map<string, Line>, tenant: string, { inFlight, sharing }: Line): void {
  if (inFlight === 0 && sharing === 0 && lines.size > MAX_IDLE) lines.delete(tenant);
}

const isFull = ({ waiting, sharing }: Line): boolean => waiting.length + sharing >= MAX_WAITING;

const hasRoom = ({ inFlight, work }: Line): boolean =>
  inFlight === 0 || (work <= MAX_WORK && inFlight < MIN_CALLS) || (inFlight + 1) * work <= MAX_WORK;

/** Starts the calls that there is room for, and refuses those that have waited for too long. */
function startNext(line: Line): void {
  while (hasRoom(line)) {
    refuseLate(line.waiting);
    const next = line.waiting.shift();
    if (next === undefined) return;
    line.inFlight++;
    next.start();
  }
}

/**
 * Refuses those at the head of a queue that have waited for too long.
 * @returns how many
 */
export function refuseLate(queue: Pick<Waiting, 'sinceMs' | 'fail'>[]): number {
  const oldestMs = performance.now() - PATIENCE_MS;
  const inTime = queue.findIndex(({ sinceMs }) => sinceMs >= oldestMs);
  const late = queue.splice(0, inTime === -1 ? queue.length : inTime);
  for (const { fail } of late) fail(tooBusy());
  return late.length;
}

const tooMany = () =>
  new HoldfastError(
    'overloaded',
    'Too many requests of this tenant wait for each other at this instance. Nothing was done: repeat the call.',
  );

const tooBusy = () =>
  new HoldfastError(
    'overloaded',
    "This tenant's earlier requests take longer than this one can wait. Nothing was done: repeat the call.",
  );
