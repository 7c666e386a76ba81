/**
 * Callers who keep things: names that are reserved without a lease and never given back, which nothing may lose, and
 * names that are held for some seconds and then given back.
 */
import { KEPT_PREFIX } from '../things.ts';
import type { Caller } from './caller.ts';
import { release, take } from './holding.ts';

const KEPT_AT_MOST = 60;

/** Reserves names for good, one after the other, and asks again and again for those that it has. */
export async function keep(caller: Caller): Promise<void> {
  const { shift, random } = caller;
  for (let n = 0; !shift.isOver; n++) {
    if (n < KEPT_AT_MOST) await caller.ask('reserve', [{ resource: `${KEPT_PREFIX}${n}`, requester: keeper(n) }]);
    await caller.pause(300, 1200);
    const known = random.between(0, Math.min(n, KEPT_AT_MOST - 1));
    const requester = random.chance(0.7) ? keeper(known) : caller.requester();
    // A stranger has a lease: should it get the name, it does not keep it.
    const ttl = requester === keeper(known) ? {} : { ttlSeconds: 1 };
    await caller.call('reserve', [{ resource: `${KEPT_PREFIX}${known}`, requester, ...ttl }]);
    caller.forget();
  }
}

const keeper = (n: number) => `keeper-${n}`;

/** Holds a name of its own without a lease, for up to 5 s, and gives it back. */
export async function holdLong(caller: Caller): Promise<void> {
  for (let n = 0; !caller.shift.isOver; n++) {
    const held = await take(caller, { resource: `held-${caller.name}-${n}`, requester: caller.requester() });
    await caller.pause(500, 5000);
    await release(caller, held);
    caller.forget();
  }
}
