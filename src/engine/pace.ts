/**
 * Paces work that an instance does for each of its tenants at intervals. Done for thousands of tenants at once, it
 * would hold up the requests of all, in this process and in Redis.
 */
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

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
    // On a busy machine, the next pause may be over before anything else has had its turn.
    await turn();
    pending.push(act(all.slice(from, from + PIECE)));
  }
  await Promise.all(pending);
}
