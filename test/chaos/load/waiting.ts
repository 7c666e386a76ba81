/** Waits for its turn: callers that stay, hang up and come back, vanish, cancel, or come by now and then. */
import type { ReserveItem, Transaction } from '../../../src/contract/reservations.ts';
import type { CancelItem } from '../../../src/contract/waiting.ts';
import { PLAIN } from '../things.ts';
import type { Caller, Manner } from './caller.ts';
import { type Held, heldBy, holdAndRelease, sometimesKeyed } from './holding.ts';
import { PHONE, registered } from './plans.ts';
import { heldIn, someNames } from './transactions.ts';

/** Draws how long a request waits, and at which rank. All waits end soon after the load. */
function wait({ random }: Caller): Pick<ReserveItem, 'waitSeconds' | 'priority' | 'claimSeconds'> {
  return {
    waitSeconds: random.between(2, 8),
    ...(random.chance(0.2) ? { priority: random.between(-2, 2) } : {}),
    ...(random.chance(0.5) ? { claimSeconds: 5 } : {}),
  };
}

const poll = (caller: Caller): Manner => ({ ...sometimesKeyed(caller), pollSeconds: caller.random.between(1, 3) });

function wanted(caller: Caller): Pick<ReserveItem, 'resource' | 'count' | 'mode' | 'match'> {
  const { random, shift } = caller;
  const drawn = random.next();
  if (drawn < 0.6 || !shift.isRegistered) return { resource: random.pick(PLAIN) };
  if (drawn < 0.7) return PHONE;
  return drawn < 0.8 ? { resource: 'docs', mode: random.pick(['SHARED', 'EXCLUSIVE']) } : registered(caller);
}

/** Waits for one thing, holds it for a moment and gives it back. */
export async function waitForOne(caller: Caller): Promise<void> {
  const { random } = caller;
  const requester = caller.requester();
  const item = { ...wanted(caller), requester, ttlSeconds: random.between(1, 3), ...wait(caller) };
  const drawn = random.next();
  if (drawn < 0.3) {
    await caller.call('reserve', [item], { ...poll(caller), withinMs: random.between(50, 1200) });
    // It has hung up: it comes back, it gives up, or nobody hears of it again.
    if (drawn < 0.08) return;
    if (drawn < 0.15) return cancel(caller, item);
    await caller.pause(0, 2500);
  }
  const manner = drawn > 0.9 ? { pollSeconds: 0 } : poll(caller);
  await holdAndRelease(caller, await stay(caller, item, manner));
}

/** Repeats a request for as long as it waits. */
async function stay(caller: Caller, item: ReserveItem, manner: Manner): Promise<Held[]> {
  for (;;) {
    const { response } = await caller.ask('reserve', [item], manner);
    const [result] = response ?? [];
    if (result?.status !== 'WAITING') return result === undefined ? [] : [heldBy(result, item.ttlSeconds) ?? []].flat();
    if (caller.shift.isOver || caller.random.chance(0.03)) {
      await cancel(caller, item);
      return [];
    }
    if (manner.pollSeconds === 0) await caller.pause(100, 400);
  }
}

async function cancel(caller: Caller, { resource, requester }: CancelItem): Promise<void> {
  await caller.ask('cancel', [{ resource, requester }]);
}

/** Waits for several names at once, or for the first of them. */
export async function waitForSeveral(caller: Caller): Promise<void> {
  const { random } = caller;
  const requester = caller.requester();
  const transaction: Transaction = {
    method: random.pick(['ALL_OR_NONE', 'FIRST']),
    requests: someNames(caller, random.between(2, 3)).map((resource) => ({
      requestType: 'RESERVE',
      resource,
      requester,
      ttlSeconds: 2,
    })),
    ...wait(caller),
  };
  const manner = poll(caller);
  for (;;) {
    const { response } = await caller.ask('transaction', transaction, manner);
    if (response?.status !== 'WAITING') return holdAndRelease(caller, heldIn(transaction, response));
    const [first] = transaction.requests;
    if (caller.shift.isOver && first !== undefined) return cancel(caller, first);
  }
}
