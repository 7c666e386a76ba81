/** Reserves, holds and releases names of one slot. */
import { PLAIN } from '../things.ts';
import type { Caller } from './caller.ts';
import { holdAndRelease, lease, take } from './holding.ts';

/** Reserves a name, holds it for a moment and gives it back. */
export async function plain(caller: Caller): Promise<void> {
  const item = { resource: caller.random.pick(PLAIN), requester: caller.requester(), ...lease(caller) };
  await holdAndRelease(caller, await take(caller, item));
}
