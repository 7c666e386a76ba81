/** What callers do with what they have got: they hold it for a while, renew it, and give it back or let it end. */
import type { ReserveItem, ReserveResult } from '../../../src/contract/reservations.ts';
import type { Caller, Manner } from './caller.ts';

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
