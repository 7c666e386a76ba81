/** Renews a lease in the background, each time a third of it has passed. */
import { ENDLESS } from '../durations.ts';
import { HoldfastError } from '../errors.ts';
import type { Lease } from './lease.ts';

/** The pause after a failed renewal: a share of the time left, at least some ms. */
const PAUSE = { share: 1 / 20, ms: 50 };

/**
 * @param renew one renewal, which extends the lease. If it fails, it is repeated until the lease counts as over.
 * @returns a function that stops it
 */
export function keepRenewed(lease: Lease, renew: () => Promise<unknown>): () => void {
  let stopTimer = () => {};
  let isStopped = false;
  const schedule = (ms: number) => {
    stopTimer();
    if (isStopped || ms === ENDLESS || lease.lost !== undefined) return;
    stopTimer = lease.clocks.timer(() => {
      if (lease.lost !== undefined) return;
      renew().catch((error: unknown) => {
        lease.failed(error);
        // A booking begins within seconds: the lease ends before.
        if (error instanceof HoldfastError && error.code === 'NOT_AVAILABLE') return;
        schedule(Math.max(PAUSE.ms, lease.remainingMs * PAUSE.share));
      });
    }, ms);
  };
  // Also after a renewal by the holder, which may have changed the length.
  lease.onExtended = () => schedule(lease.renewInMs);
  schedule(lease.renewInMs);
  return () => {
    isStopped = true;
    stopTimer();
  };
}
