/**
 * Gives each piece of long work a turn of the event loop of its own. Many large bodies, results of large batches or
 * pages of lists that arrive together would otherwise be handled in one turn, and all other requests would wait for the
 * last of them.
 */
import { setImmediate as turn } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller of this function has, in the order of the calls. Requests
 * that arrived meanwhile start in the turn between two of them, which has no such work (src/http/admission.ts).
 */
export function ownTurn(): Promise<unknown> {
  last = last.then(() => turn()).then(() => turn());
  return last;
}
