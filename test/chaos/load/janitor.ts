/**
 * Gives back what callers have left behind without a lease: a request that was given up may still be carried out, and
 * nobody would ever release what it takes.
 */
import { KEPT_PREFIX } from '../things.ts';
import type { Caller } from './caller.ts';
import { heldBy, release } from './holding.ts';

/** Looks at what is held, again and again. */
export async function tidy(caller: Caller): Promise<void> {
  while (!caller.shift.isOver) {
    await caller.pause(700, 1300);
    await tidyOnce(caller);
  }
}

/** Releases what nobody works with. Returns whether it was told all that is held, and nothing was left behind. */
export async function tidyOnce(caller: Caller): Promise<boolean> {
  const { busy } = caller.shift;
  const busyBefore = new Set(busy);
  const { response } = await caller.ask('active', '');
  const left = (response ?? []).filter(
    ({ resource, requester, expiresAt }) =>
      expiresAt === null && !resource.startsWith(KEPT_PREFIX) && !busyBefore.has(requester) && !busy.has(requester),
  );
  for (const { resource, requester, mode } of left) {
    // Its requester gets the token by asking again.
    const again = { resource, requester, ttlSeconds: 1, ...(mode === 'SHARED' ? { mode } : {}) };
    const [result] = (await caller.ask('reserve', [again])).response ?? [];
    const held = result && heldBy(result, undefined);
    if (held !== undefined) await release(caller, [held]);
  }
  return response !== null && left.length === 0;
}
