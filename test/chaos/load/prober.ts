/** Asks an address again and again whether it serves: recovery is measured by it. */
import type { Address, Caller } from './caller.ts';
import { isUnknown } from './caller.ts';

const WITHIN_MS = 1000;
const EVERY_MS = 150;

/** Reserves a name of its own at an address and gives it back, some times a second. */
export async function probe(caller: Caller, at: Address): Promise<void> {
  const resource = `probe-${at.name}`;
  for (let n = 0; !caller.shift.isOver; n++) {
    const manner = { at, withinMs: WITHIN_MS };
    const requester = `probe-${at.name}-${n}`;
    const call = await caller.call('reserve', [{ resource, requester, ttlSeconds: 2 }], manner);
    const releaseToken = call.response?.[0]?.releaseToken ?? null;
    if (releaseToken !== null && !isUnknown(call))
      await caller.call('unreserve', [{ resource, requester, releaseToken }], manner);
    await caller.shift.pause(EVERY_MS);
  }
}
