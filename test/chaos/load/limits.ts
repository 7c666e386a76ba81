/** Callers who ask for more than their tenant may have: writes, reads and reservations. */
import type { Caller } from './caller.ts';

/** Reserves more and more names, until the cap or the writes of the minute are used up, and beyond. */
export async function exceedWrites(caller: Caller): Promise<void> {
  const { random, shift } = caller;
  for (let n = 0; !shift.isOver; n++) {
    const items = Array.from({ length: random.between(1, 4) }, (_, i) => ({
      resource: `q-${caller.name}-${n}-${i}`,
      requester: caller.requester(),
      ttlSeconds: random.between(3, 10),
    }));
    const { response } = await caller.call('reserve', items);
    const held = (response ?? []).flatMap(({ releaseToken, ...one }) =>
      releaseToken === null ? [] : [{ resource: one.resource, requester: one.requester, releaseToken }],
    );
    if (held.length > 0 && random.chance(0.3)) await caller.call('unreserve', held);
    caller.forget();
    await (random.chance(0.1) ? caller.pause(500, 2000) : caller.pause(50, 250));
  }
}

/** Reads until the reads of the minute are used up, and beyond. */
export async function exceedReads(caller: Caller): Promise<void> {
  while (!caller.shift.isOver) {
    const { status } = await caller.call('available', 'q');
    await (status === 429 ? caller.pause(300, 1000) : caller.pause(20, 80));
  }
}
