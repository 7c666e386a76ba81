/**
 * Renews the leases of a client in the background, each time a third of one has passed. Those that will be due soon
 * are renewed with it: so they travel in one request, however late a busy process runs its timers, and stay together.
 */
import { ENDLESS } from '../durations.ts';
import { HoldfastError } from '../errors.ts';
import type { Lease } from './lease.ts';

/** The pause after a failed renewal: a share of the time left, at least some ms. */
const PAUSE = { share: 1 / 20, ms: 50 };
/** The part of its lease by which a renewal may come early, to travel with others. */
const SOON = 1 / 6;

interface Kept {
  readonly lease: Lease;
  readonly renew: () => Promise<unknown>;
  /** When it is renewed next, by the monotonic clock. `ENDLESS`: a renewal is under way, or none is needed. */
  dueAt: number;
  stopTimer: () => void;
}

export class Keeper {
  readonly #kept = new Set<Kept>();

  /**
   * @param renew one renewal, which extends the lease. If it fails, it is repeated until the lease counts as over.
   * @returns a function that stops it
   */
  keep(lease: Lease, renew: () => Promise<unknown>): () => void {
    const kept: Kept = { lease, renew, dueAt: ENDLESS, stopTimer: () => {} };
    this.#kept.add(kept);
    // Also after a renewal by the holder, which may have changed the length.
    lease.onExtended = () => this.#schedule(kept, lease.renewInMs);
    lease.onExtended();
    return () => {
      this.#kept.delete(kept);
      kept.stopTimer();
    };
  }

  #schedule(kept: Kept, ms: number): void {
    const { lease } = kept;
    kept.stopTimer();
    kept.dueAt = ENDLESS;
    if (!this.#kept.has(kept) || ms === ENDLESS || lease.lost !== undefined) return;
    kept.dueAt = lease.clocks.monotonic() + ms;
    kept.stopTimer = lease.clocks.timer(() => {
      this.#begin(kept);
      for (const one of this.#kept)
        if (one.dueAt - lease.clocks.monotonic() <= one.lease.ttlMs * SOON) this.#begin(one);
    }, ms);
  }

  #begin(kept: Kept): void {
    const { lease } = kept;
    kept.stopTimer();
    kept.dueAt = ENDLESS;
    if (lease.lost !== undefined) return;
    kept.renew().catch((error: unknown) => {
      lease.failed(error);
      // A booking begins within seconds: the lease ends before.
      if (error instanceof HoldfastError && error.code === 'NOT_AVAILABLE') return;
      this.#schedule(kept, Math.max(PAUSE.ms, lease.remainingMs * PAUSE.share));
    });
  }
}
