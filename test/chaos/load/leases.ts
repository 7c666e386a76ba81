/**
 * Two callers take turns with a name that nobody else wants: who comes next tries closely around the end of the lease.
 */
import type { ReserveResult } from '../../../src/contract/reservations.ts';
import { now } from '../clock.ts';
import type { Caller } from './caller.ts';
import { release, take } from './holding.ts';

/** How long before a lease is due the other one begins to try. */
const EARLY_MS = 300;
/** How long it tries: longer than the longest lease, and than the longest fault. */
const PATIENCE_MS = 40_000;

export async function takeTurns(one: Caller, other: Caller): Promise<void> {
  const { random, shift } = one;
  const resource = `lease-${one.name}`;
  let [holder, next] = [one, other];
  while (!shift.isOver) {
    const requester = holder.requester();
    const ttlSeconds = random.between(1, 3);
    const [held] = await take(holder, { resource, requester, ttlSeconds });
    let dueAt = now() + ttlSeconds * 1000;
    if (held !== undefined && random.chance(0.25)) {
      await shift.pause(random.between(100, 800));
      await holder.ask('renew', [{ resource, requester, releaseToken: held.releaseToken, ttlSeconds }]);
      dueAt = now() + ttlSeconds * 1000;
    }
    await shift.pause(Math.max(0, dueAt - EARLY_MS - now()));
    const isWaiting = random.chance(0.3);
    const got = isWaiting ? await waitForIt(next, resource) : await tryForIt(next, resource);
    if (got?.releaseToken && random.chance(0.5))
      await release(next, [{ resource, requester: got.requester, releaseToken: got.releaseToken }]);
    else await shift.pause(2000);
    [holder, next] = [next, holder];
    one.forget();
    other.forget();
  }
}

/** Tries again and again until it has got it. */
async function tryForIt(caller: Caller, resource: string): Promise<ReserveResult | undefined> {
  const item = { resource, requester: caller.requester(), ttlSeconds: 2 };
  for (const endAt = now() + PATIENCE_MS; now() < endAt && !caller.shift.isOver; ) {
    const [result] = (await caller.call('reserve', [item])).response ?? [];
    if (result?.releaseToken) return result;
    await caller.pause(20, 50);
  }
  return undefined;
}

async function waitForIt(caller: Caller, resource: string): Promise<ReserveResult | undefined> {
  const item = { resource, requester: caller.requester(), ttlSeconds: 2, waitSeconds: 10 };
  for (const endAt = now() + PATIENCE_MS; now() < endAt && !caller.shift.isOver; ) {
    const [result] = (await caller.call('reserve', [item], { pollSeconds: 3 })).response ?? [];
    if (result?.releaseToken) return result;
    if (result?.status !== 'WAITING') await caller.pause(20, 100);
  }
  return undefined;
}
