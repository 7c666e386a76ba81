/** Callers of a tenant whose keys are rotated and which is suspended meanwhile; sometimes one resets everything. */
import { PLAIN } from '../things.ts';
import type { Caller } from './caller.ts';
import { holdAndRelease, take } from './holding.ts';

export async function callThroughout(caller: Caller): Promise<void> {
  const { random, shift } = caller;
  while (!shift.isOver) {
    if (random.chance(0.01)) await caller.ask('reset', null);
    const item = { resource: random.pick(PLAIN), requester: caller.requester(), ttlSeconds: random.between(1, 3) };
    await holdAndRelease(caller, await take(caller, item));
    caller.forget();
    await caller.pause(20, 150);
  }
}
