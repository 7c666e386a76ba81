/**
 * Bounds the work of one tenant that is in flight in Redis from this instance: about 2 ms of it, two calls of up to
 * 2 ms each, or one that is longer. Its further calls wait here, in the order in which they came. So a call of another
 * tenant finds little ahead of it in Redis, however much one tenant asks for.
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Engine } from './call.ts';

/** Work of a tenant in flight, in units of lua/lib/work.lua: each is about a microsecond of Redis. */
const MAX_WORK = 2000;
/** Calls that are not longer than that: Redis has the next one while the reply to the one before travels. */
const MIN_CALLS = 2;
/** A call counts at least this much: even one that does nothing has a fixed cost. */
const LEAST_WORK = 30;
/** How far the expected work falls with each call that needs less. */
const FALL = 0.8;
/** Calls that have waited longer than this are refused: their callers would give up soon. */
const PATIENCE_MS = 1500;

/** The work of a call that is as long as calls may be: the work budget (lua/lib/budget.lua). */
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
  /** Expected work of a call: that of the longest of the last ones. It is not known at first. */
  work: number;
  readonly waiting: Waiting[];
}

/** A reply, and the work of its script: undefined if it does not say. */
export interface Replied<Reply> {
  readonly reply: Reply;
  readonly work: number | undefined;
}

const linesOf = new WeakMap<Engine, Map<string, Line>>();

/**
 * Makes a call when it is the tenant's turn.
 * @param isRepeat whether the call goes on with one that had its turn: it is the next
 * @returns the reply
 * @throws what the call throws; HoldfastError overloaded if the tenant's calls before it took too long; unavailable as
 * soon as one of them finds Redis away
 */
export async function inTurn<Reply>(
  engine: Engine,
  tenant: string,
  isRepeat: boolean,
  call: () => Promise<Replied<Reply>>,
): Promise<Reply> {
  const lines = linesOf.get(engine) ?? new Map<string, Line>();
  linesOf.set(engine, lines);
  const line = lines.get(tenant) ?? { inFlight: 0, work: MAX_WORK, waiting: [] };
  lines.set(tenant, line);
  if (line.waiting.length === 0 && hasRoom(line)) line.inFlight++;
  else
    await new Promise<void>((start, fail) => {
      const waiting = { sinceMs: performance.now(), start, fail };
      if (isRepeat) line.waiting.unshift(waiting);
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
    if (line.inFlight === 0) lines.delete(tenant);
  }
}

const hasRoom = ({ inFlight, work }: Line): boolean =>
  inFlight === 0 || (work <= MAX_WORK && inFlight < MIN_CALLS) || (inFlight + 1) * work <= MAX_WORK;

/** Starts the calls that there is room for, and refuses those that have waited for too long. */
function startNext(line: Line): void {
  const oldestMs = performance.now() - PATIENCE_MS;
  while (hasRoom(line)) {
    const next = line.waiting.shift();
    if (next === undefined) return;
    if (next.sinceMs < oldestMs) next.fail(tooBusy());
    else {
      line.inFlight++;
      next.start();
    }
  }
}

const tooBusy = () =>
  new HoldfastError(
    'overloaded',
    "This tenant's earlier requests take longer than this one can wait. Nothing was done: repeat the call.",
  );
