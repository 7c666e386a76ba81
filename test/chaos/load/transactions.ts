/** Reserves and releases several things in one step, and hands over from one to the next. */
import type { Transaction, TransactionItem, TransactionResult } from '../../../src/contract/reservations.ts';
import { PLAIN } from '../things.ts';
import type { Caller, Manner } from './caller.ts';
import { type Held, heldBy, holdAndRelease, release, take } from './holding.ts';

/** Draws so many different names of one slot. */
export function someNames({ random }: Caller, count: number): string[] {
  const left: string[] = [...PLAIN];
  return Array.from({ length: count }, () => left.splice(random.between(0, left.length - 1), 1)).flat();
}

/** Returns what the items of a transaction that reserve have got. */
export function heldIn({ requests }: Transaction, response: TransactionResult | null): Held[] {
  return (response?.results ?? []).flatMap((result, i) => {
    const item = requests[i];
    if (item?.requestType !== 'RESERVE' || !('releaseToken' in result)) return [];
    return heldBy(result, item.ttlSeconds) ?? [];
  });
}

async function carryOut(caller: Caller, transaction: Transaction, manner: Manner = {}): Promise<Held[]> {
  return heldIn(transaction, (await caller.ask('transaction', transaction, manner)).response);
}

const reserve = (resource: string, requester: string, ttlSeconds: number): TransactionItem => ({
  requestType: 'RESERVE',
  resource,
  requester,
  ttlSeconds,
});

/** Walks over some names hand over hand: it holds the next one before it lets go of the last. */
export async function handOverHand(caller: Caller): Promise<void> {
  const requester = caller.requester();
  const [first = '', ...others] = someNames(caller, 3);
  let held = await take(caller, { resource: first, requester, ttlSeconds: caller.random.between(2, 6) });
  for (const next of others) {
    const [last] = held;
    if (last === undefined) return;
    const { resource, releaseToken } = last;
    const requests: TransactionItem[] = [
      { requestType: 'UNRESERVE', resource, requester, releaseToken },
      reserve(next, requester, caller.random.between(2, 6)),
    ];
    const manner = caller.random.chance(0.7) ? { idempotencyKey: caller.idempotencyKey() } : {};
    const moved = await carryOut(caller, { method: 'ALL_OR_NONE', requests }, manner);
    // Where it did not come true, or nobody knows, the last one may still be held.
    if (moved.length === 0) await release(caller, held);
    held = moved;
  }
  await holdAndRelease(caller, held);
}

/** Reserves several names: all of them, the first that is free, or as many as there are. */
export async function together(caller: Caller): Promise<void> {
  const { random } = caller;
  const requester = caller.requester();
  const method = random.pick(['ALL_OR_NONE', 'FIRST', 'AS_MANY_AS_POSSIBLE'] as const);
  const names = [...someNames(caller, random.between(2, 3)), ...(random.chance(0.3) ? ['pool'] : [])];
  const ttlSeconds = random.between(1, 4);
  const requests = names.map((name) => reserve(name, requester, ttlSeconds));
  await holdAndRelease(caller, await carryOut(caller, { method, requests }));
}

/** Gives something back and takes others, each on its own. */
export async function exchange(caller: Caller): Promise<void> {
  const requester = caller.requester();
  const [one = '', ...others] = someNames(caller, 3);
  const [held] = await take(caller, { resource: one, requester, ttlSeconds: 5 });
  if (held === undefined) return;
  const { resource, releaseToken } = held;
  const requests: TransactionItem[] = [
    ...others.map((name) => reserve(name, requester, 3)),
    { requestType: 'UNRESERVE', resource, requester, releaseToken },
  ];
  await holdAndRelease(caller, await carryOut(caller, { method: 'AS_MANY_AS_POSSIBLE', requests }));
}
