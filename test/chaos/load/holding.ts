/** Callers hold their reservations for a while, renew them, and release them or let them end. */
import type { ReserveItem, ReserveResult } from '../../../src/contract/reservations.ts';
import type { Random } from '../random.ts';
import { now } from '../random.ts';
import type { Caller, Manner } from './caller.ts';
import { makeAndDelete, redefine } from './definitions.ts';
import { look } from './endState.ts';
import { plain } from './http.ts';
import { batch, exchange, handOverHand, holdBySession, planned, shared, together } from './transactions.ts';
import { waitForOne, waitForSeveral } from './waiting.ts';

export interface Held {
  readonly resource: string;
  readonly requester: string;
  readonly releaseToken: string;
  /** Undefined: it has no lease of its own. */
  readonly ttlSeconds?: number | undefined;
}

/** Returns what a result says its requester holds; undefined if it holds nothing. */
export function heldBy(
  { resource, requester, releaseToken }: ReserveResult,
  ttlSeconds: number | undefined,
): Held | undefined {
  return releaseToken === null ? undefined : { resource, requester, releaseToken, ttlSeconds };
}

/** Sometimes a new Idempotency-Key. */
export const sometimesKeyed = (caller: Caller): Manner =>
  caller.random.chance(0.15) ? { idempotencyKey: caller.idempotencyKey() } : {};

/** Tries to reserve items. Returns what it got. */
export async function take(caller: Caller, ...items: readonly ReserveItem[]): Promise<Held[]> {
  const { response } = await caller.ask('reserve', items, sometimesKeyed(caller));
  return (response ?? []).flatMap((result, i) => heldBy(result, items[i]?.ttlSeconds) ?? []);
}

export async function release(caller: Caller, held: readonly Held[]): Promise<void> {
  if (held.length === 0) return;
  const items = held.map(({ resource, requester, releaseToken }) => ({ resource, requester, releaseToken }));
  await caller.ask('unreserve', items, sometimesKeyed(caller));
}

/** Holds something for a moment, may renew it, and gives it back; or leaves a short lease to end by itself. */
export async function holdAndRelease(caller: Caller, held: readonly Held[]): Promise<void> {
  if (held.length === 0) return;
  const { random } = caller;
  await caller.pause(0, random.chance(0.1) ? 1500 : 200);
  const leased = held.flatMap(({ ttlSeconds, ...one }) => (ttlSeconds === undefined ? [] : [{ ...one, ttlSeconds }]));
  if (leased.length > 0 && random.chance(0.15)) {
    await caller.ask('renew', leased, sometimesKeyed(caller));
    await caller.pause(0, 200);
  }
  const isShort = held.every(({ ttlSeconds }) => ttlSeconds !== undefined && ttlSeconds <= 2);
  if (isShort && random.chance(0.1)) return;
  await release(caller, held);
}

/** Draws a lease: none, or 1 to 10 s, mostly short. */
export const lease = (caller: Caller): { readonly ttlSeconds?: number } => {
  const { random } = caller;
  if (random.chance(0.2)) return {};
  return { ttlSeconds: random.chance(0.7) ? random.between(1, 3) : random.between(4, 10) };
};

/**
 * Two callers take turns with a name that nobody else wants: who comes next tries closely around the end of the lease.
 */

/** Time before the end of a lease at which the other one begins to try. */
const EARLY_MS = 300;
/** Time for which it tries: longer than the longest lease, and than the longest fault. */
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

/** Acts of callers of every verb, and their frequency. */

type Act = (caller: Caller) => Promise<void>;

/** Each with its share. Those of the second list need FIXED. */
const ALWAYS: readonly (readonly [number, Act])[] = [
  [30, plain],
  [6, shared],
  [5, handOverHand],
  [6, together],
  [3, exchange],
  [14, waitForOne],
  [4, waitForSeveral],
  [5, holdBySession],
  [10, look],
];
const WITH_FIXED: readonly (readonly [number, Act])[] = [
  [20, planned],
  [5, batch],
  [3, redefine],
  [1, makeAndDelete],
];

function draw(acts: readonly (readonly [number, Act])[], random: Random): Act {
  let left = random.next() * acts.reduce((sum, [share]) => sum + share, 0);
  const found = acts.find(([share]) => {
    left -= share;
    return left < 0;
  });
  return found?.[1] ?? plain;
}

/** Does one thing after the other, until the load ends. */
export async function workThrough(caller: Caller): Promise<void> {
  const { shift, random } = caller;
  while (!shift.isOver) {
    await draw(shift.isRegistered ? [...ALWAYS, ...WITH_FIXED] : ALWAYS, random)(caller);
    await caller.repeatAnswered();
    caller.forget();
    await caller.pause(0, 60);
  }
}
