/**
 * Gives back what callers have left behind without a lease: a request that was given up may still be carried out, and
 * nobody would ever release what it takes.
 */

import { randomUUID } from 'node:crypto';
import { KEPT_PREFIX, PLAIN } from '../things.ts';
import { type Address, type Caller, isUnknown } from './caller.ts';
import { heldBy, holdAndRelease, release, take } from './holding.ts';

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

/** Tries to give back what others hold, with a token that nobody was given. */

const AT_MOST = 4;

export async function steal(caller: Caller): Promise<void> {
  const { random, shift } = caller;
  // The balancer may repeat a release: of one that finds nothing, nobody would know what came.
  const instances = shift.system.addresses.filter(({ name }) => name !== 'balancer');
  while (!shift.isOver) {
    await caller.pause(100, 400);
    const { response } = await caller.call('active', '');
    const held = (response ?? []).toReversed().filter(({ resource }) => !resource.startsWith(KEPT_PREFIX));
    // One at a time: the answer to several says 403 if one of them is refused.
    for (const { resource, requester } of held.slice(0, AT_MOST))
      await caller.call('unreserve', [{ resource, requester, releaseToken: randomUUID() }], {
        at: random.pick(instances),
      });
  }
}

/** Asks an address again and again whether it serves: recovery is measured by it. */

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

/** Callers of a tenant whose keys are rotated and which is suspended meanwhile; sometimes one resets everything. */

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

/** Callers who ask for more than their tenant may have: writes, reads and reservations. */

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

/**
 * Callers who keep things: names that are reserved without a lease and never given back, which nothing may lose, and
 * names that are held for some seconds and then given back.
 */

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
