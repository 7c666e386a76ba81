/** Runs work under a hold: renews it meanwhile, and always releases it, unless it is booked. */
import { HoldfastError } from '../errors.ts';
import type { Hold } from './hold.ts';
import type { Held } from './reserver.ts';

export type Work<T> = (hold: Hold, signal: AbortSignal) => T | Promise<T>;

/**
 * @param outer also aborts the signal of the hold
 * @returns what the work returns
 * @throws LEASE_LOST if the lease was lost meanwhile, since then its result cannot be trusted. An error of the work is
 *   its cause; otherwise that error itself
 */
export async function use<T>({ hold, lease, keeper }: Held, work: Work<T>, outer: AbortSignal | undefined): Promise<T> {
  const stop = keeper.keep(lease, () => hold.renew());
  const abort = () => lease.abort(outer?.reason);
  outer?.addEventListener('abort', abort);
  const end = () => {
    stop();
    outer?.removeEventListener('abort', abort);
    return lease.lost;
  };
  let result: T;
  try {
    outer?.throwIfAborted();
    result = await work(hold, hold.signal);
  } catch (error) {
    const lost = end();
    const wasHeld = await hold.leave().catch(() => true);
    throw lossOf(hold, lost, wasHeld, error) ?? error;
  }
  const lost = end();
  // Of a lost lease, a release that fails says nothing new.
  const wasHeld = await hold.leave().catch((error: unknown) => {
    if (lost === undefined) throw error;
  });
  const loss = lossOf(hold, lost, wasHeld === true);
  if (loss !== undefined) throw loss;
  return result;
}

/** The loss of the lease, if it was lost. Its cause is the error of the work, if that has failed of itself. */
function lossOf(
  { resource }: Pick<Hold, 'resource'>,
  lost: HoldfastError | undefined,
  wasHeld: boolean,
  failure?: unknown,
): HoldfastError | undefined {
  if (lost === undefined && wasHeld) return undefined;
  if (lost !== undefined && (failure === undefined || failure === lost)) return lost;
  const message = lost?.message ?? `${resource} was released by somebody else meanwhile`;
  return new HoldfastError('LEASE_LOST', message, { cause: failure });
}
