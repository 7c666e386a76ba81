/**
 * Callers who want much the same things: some hold one, others wait for a whole set, and the rest try for what is free.
 * So much is kept at any time, and whoever overtakes is noticed.
 */
import type { ReserveItem, Transaction } from '../../../src/contract/reservations.ts';
import { CROWDED } from '../things.ts';
import type { Caller } from './caller.ts';
import { release, take } from './holding.ts';
import { heldIn } from './transactions.ts';

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
