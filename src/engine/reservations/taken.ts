/**
 * Explains to a holder how it lost its reservation (docs/specification.md#taken-away).
 */
import { toMs, toTime } from '../../redis/reply.ts';
import { madeAtMs } from './releaseToken.ts';

/**
 * @param status NOT_RESERVED or DOESNT_OWN_RESERVATION
 * @param item its token may be missing or malformed
 * @param loss what the script adds to the status (lua/reservations/unreserve.lua)
 * @returns the explanation of the result: the status, and who took the reservation away, if somebody did
 */
export function explainLoss(
  status: string,
  { releaseToken }: { readonly releaseToken?: string | null | undefined },
  [kind, ms, actor = '']: readonly string[],
): string {
  if (kind === undefined) return status;
  const atMs = toMs(ms);
  // A reservation that was made after the reset was lost in another way.
  if (kind === 'RESET' && madeAtMs(releaseToken ?? '') > atMs) return status;
  const what = kind === 'RESET' ? 'everything was released' : 'taken away';
  return `${status}: ${what} by ${actor.replace(/^person:/, '')} at ${toTime(atMs)}`;
}
