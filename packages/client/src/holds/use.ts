/** Runs work under a hold: renews it meanwhile, and always releases it. */
import { HoldfastError } from '../errors.ts';
import type { Hold } from './hold.ts';
import { keepRenewed } from './keepRenewed.ts';
import type { Held } from './reserver.ts';

export type Work<T> = (hold: Hold, signal: AbortSignal) => T | Promise<T>;

/**
 * @param outer also aborts the signal of the hold
 * @returns what the work returns
 * @throws what the work throws; LEASE_LOST if the lease was lost meanwhile, since then its result cannot be trusted
 */
export async function use<T>({ hold, lease }: Held, work: Work<T>, outer: AbortSignal | undefined): Promise<T> {
  const stop = keepRenewed(lease, () => hold.renew());
  const abort = () => lease.abort(outer?.reason);
  outer?.addEventListener('abort', abort);
  const end = () => {
    stop();
    outer?.removeEventListener('abort', abort);
  };
  let result: T;
  try {
    outer?.throwIfAborted();
    result = await work(hold, hold.signal);
  } catch (error) {
    end();
    await hold.release().catch(() => {});
    throw error;
  }
  end();
  const { lost } = lease;
  const wasHeld = await hold.release();
  if (lost !== undefined) throw lost;
  if (!wasHeld) throw new HoldfastError('LEASE_LOST', `${hold.resource} was released by somebody else meanwhile`);
  return result;
}
