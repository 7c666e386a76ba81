/**
 * Tells Redis that calls have ended before their time: their callers are gone, or the instance is shutting down
 * (docs/specification.md#waiting-lifetimes).
 */
import { keysOf } from '../../redis/keys.ts';
import type { Engine } from '../engine.ts';
import { untilDone } from './untilDone.ts';

/** Tickets that one call handles. */
const PAGE = 100;

/**
 * Ends an instance's calls for tickets. A ticket stays attended for its claimSeconds.
 * @throws HoldfastError unavailable
 */
export async function leave(
  engine: Engine,
  tenant: string,
  instance: string,
  tickets: readonly string[],
): Promise<void> {
  const keys = keysOf('leave', tenant);
  for (let from = 0; from < tickets.length; from += PAGE) {
    const page = tickets.slice(from, from + PAGE);
    await untilDone(engine.redis, tenant, 'leave', ...keys, '', instance, ...page);
  }
}
