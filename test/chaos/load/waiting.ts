/** Waits for its turn: callers that stay, hang up and come back, vanish, cancel, or come by now and then. */
import type { ReserveItem, Transaction } from '../../../src/contract/reservations.ts';
import type { CancelItem } from '../../../src/contract/waiting.ts';
import { CROWDED, PLAIN } from '../things.ts';
import type { Caller, Manner } from './caller.ts';
import { type Held, heldBy, holdAndRelease, release, sometimesKeyed, take } from './holding.ts';
import { heldIn, PHONE, registered, someNames } from './transactions.ts';

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

/**
 * Callers who want much the same things: some hold one, others wait for a whole set, and the rest try for what is free.
 * So much is kept at any time, and an overtaking request is noticed.
 */

type Thing = Pick<ReserveItem, 'count'> & { readonly resource: string };

/** Draws so many different things. */
function some({ random }: Caller, count: number): Thing[] {
  const left = [...CROWDED];
  return Array.from({ length: count }, () => left.splice(random.between(0, left.length - 1), 1)).flat();
}

type Act = (caller: Caller) => Promise<void>;

/** Holds one thing for some seconds. */
const hold: Act = async (caller) => {
  const items = some(caller, 1).map((thing) => ({ ...thing, requester: caller.requester(), ttlSeconds: 5 }));
  const held = await take(caller, ...items);
  await caller.pause(500, 3000);
  await release(caller, held);
};

/** Waits for a whole set, holds it for a moment and gives it back. */
const waitForAll: Act = async (caller) => {
  const { random, shift } = caller;
  const requester = caller.requester();
  const requests = some(caller, random.between(2, 4)).map((thing) => ({
    ...{ requestType: 'RESERVE' as const, ...thing, requester, ttlSeconds: 2 },
  }));
  const priority = random.chance(0.2) ? random.between(-1, 1) : 0;
  const transaction: Transaction = { method: 'ALL_OR_NONE', requests, waitSeconds: 8, priority };
  for (;;) {
    const { response } = await caller.ask('transaction', transaction, { pollSeconds: 2 });
    if (response?.status !== 'WAITING' || shift.isOver) {
      const [first] = requests;
      if (response?.status === 'WAITING' && first) await caller.ask('cancel', [first]);
      await caller.pause(20, 200);
      return release(caller, heldIn(transaction, response));
    }
  }
};

/** Tries for some things, each for somebody else or all for one, and gives back at once what it gets. */
const press: Act = async (caller) => {
  if (caller.random.chance(0.2)) return pressForAll(caller);
  const items = some(caller, 4).map((thing) => ({ ...thing, requester: caller.requester(), ttlSeconds: 1 }));
  await release(caller, await take(caller, ...items));
};

const pressForAll: Act = async (caller) => {
  const requester = caller.requester();
  const requests = some(caller, 2).map((thing) => ({
    ...{ requestType: 'RESERVE' as const, ...thing, requester, ttlSeconds: 1 },
  }));
  const transaction: Transaction = { method: 'ALL_OR_NONE', requests };
  const { response } = await caller.ask('transaction', transaction);
  await release(caller, heldIn(transaction, response));
};

/** Who does what: callers by name. */
const CROWD: readonly (readonly [string, Act])[] = [
  ['x0', hold],
  ['x5', hold],
  ['x1', waitForAll],
  ['x2', waitForAll],
  ['x3', waitForAll],
  ['x4', press],
  ['x6', press],
];

/** Returns the callers of a crowd, each with what it does again and again while the things are registered. */
export const crowd = (): readonly (readonly [string, (caller: Caller) => Promise<void>])[] =>
  CROWD.map(([name, act]) => [
    name,
    async (caller) => {
      while (!caller.shift.isOver) {
        if (caller.shift.isRegistered) await act(caller);
        caller.forget();
        await caller.pause(10, 60);
      }
    },
  ]);
