/**
 * Paces work that comes in pieces: what an instance does for each of its tenants at intervals, which would hold up the
 * requests of all if it were done for thousands at once; and what is due of one tenant, or what its queue has left to
 * do. The first pieces of a tenant follow each other at once. If they do not come to an end, the instance waits longer
 * and longer between two of them, so that a tenant with endless work takes little of Redis from the others.
 */
import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises';
import type { RedisClient } from '../redis/client.ts';

/** Tenants of a piece: about 2 ms of this process and of Redis. */
export const PIECE = 100;
const PAUSE_MS = 20;

/**
 * Calls `act` for the tenants of a list, piece by piece, with a pause between two. It does not wait for a piece before
 * it starts the next, so a Redis that does not respond delays none.
 * @param act must not reject
 * @param signal once it is aborted, a pause also ends when its piece is done
 * @returns when all pieces are done
 */
export async function pace<T>(
  all: readonly T[],
  act: (piece: readonly T[]) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const pending: Promise<unknown>[] = [];
  for (let from = 0; from < all.length; from += PIECE) {
    if (signal.aborted) await Promise.race([pending.at(-1), pause(PAUSE_MS)]);
    else if (from > 0) await pause(PAUSE_MS, undefined, { signal }).catch(() => {});
    // On a busy machine, the next pause may be over before anything else has run.
    await nextIteration();
    pending.push(act(all.slice(from, from + PIECE)));
  }
  await Promise.all(pending);
}

/** Pieces that follow each other at once: about 30 ms of Redis. */
const AT_ONCE = 20;
/** The pause grows by 1 ms with so many further pieces. */
const PIECES_A_MS = 50;
const MAX_PAUSE_MS = 100;
/** A tenant without pieces for so long is forgotten, in ms. */
const FORGET_MS = 1000;
/** With more tenants than these, such tenants are removed. */
const MAX_KNOWN = 1000;

interface Backlog {
  pieces: number;
  /** The next piece may start then, in ms of performance.now(). */
  nextMs: number;
}

const backlogsOf = new WeakMap<RedisClient, Map<string, Backlog>>();

/**
 * To be called after each piece that has left work. Counts it, and waits until the next one may start.
 * @param of the tenant, or the shard of the due index, whose work it is: all callers share its pauses
 * @param endMs the caller gives up then, in ms of performance.now()
 * @returns false at once if the next piece may not start before `endMs`
 */
export async function pauseAfterPiece(redis: RedisClient, of: string, endMs: number): Promise<boolean> {
  const now = performance.now();
  const backlogs = backlogsOf.get(redis) ?? new Map<string, Backlog>();
  backlogsOf.set(redis, backlogs);
  if (backlogs.size > MAX_KNOWN)
    for (const [name, { nextMs }] of backlogs) if (nextMs + FORGET_MS < now) backlogs.delete(name);
  const known = backlogs.get(of);
  const backlog = known === undefined || known.nextMs + FORGET_MS < now ? { pieces: 0, nextMs: now } : known;
  backlogs.set(of, backlog);
  backlog.pieces++;
  const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(0, backlog.pieces - AT_ONCE) / PIECES_A_MS);
  const nextMs = Math.max(now, backlog.nextMs) + pauseMs;
  if (nextMs > endMs) return false;
  backlog.nextMs = nextMs;
  if (nextMs - now >= 1) await pause(nextMs - now);
  return true;
}

/** To be called once nothing is left: the next pieces follow each other at once again. */
export function endBacklog(redis: RedisClient, of: string): void {
  backlogsOf.get(redis)?.delete(of);
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves in an iteration of the event loop that no other caller of this function has, in the order of the calls. Many
 * large bodies, results of large batches or pages of lists that arrive together would otherwise be handled in one
 * iteration, and all other requests would wait for the last of them. Requests that arrived meanwhile start in the
 * iteration between two of them, which has no such work (src/http/admission/admission.ts).
 */
export function yieldToLoop(): Promise<unknown> {
  last = last.then(() => nextIteration()).then(() => nextIteration());
  return last;
}
