/**
 * Slots are kept for the first of the queue; when they are kept no longer, others are looked at
 * (docs/specification.md#waiting-order).
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../../src/contract/reservations.ts';
import { changeInRedis } from '../../../src/definitions/change.ts';
import type { Mode } from '../../../src/domain/reservations.ts';
import { book } from '../../../src/engine/bookings.ts';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { transaction as transactWith } from '../../../src/engine/reservations/transaction.ts';
import { beat } from '../../../src/engine/waiting/beat.ts';
import { waiting } from '../../../src/engine/waiting/list.ts';
import { setClock } from '../../support/clock.ts';
import { all } from '../../support/listed.ts';
import { reserve, unreserve } from '../../support/verbs.ts';
import { CALL, running, useWaitingEngine } from '../../support/waitingEngine.ts';

const START = Date.UTC(2050, 0, 1);
const WAIT = { waitSeconds: 600, priority: 0 };

useWaitingEngine(START);

/** Tries to reserve. */
async function take(requester: string, resource: string, mode: Mode = 'EXCLUSIVE'): Promise<ReserveResult | undefined> {
  const [result] = await reserve(running.engine, running.credential, [{ resource, requester, ttlSeconds: 600, mode }]);
  return result;
}

/** Reserves, or waits. */
async function askFor(
  requester: string,
  resource: string,
  mode: Mode = 'EXCLUSIVE',
): Promise<ReserveResult | undefined> {
  const item = { resource, requester, ttlSeconds: 60, mode, ...WAIT };
  const { result } = await reserveWith(running.engine, running.credential, [item], CALL);
  return result[0];
}

type Wanted = readonly (readonly [resource: string, count: number])[];

/** Reserves all of these, or waits for all of them. */
async function wantAll(requester: string, wanted: Wanted, wait: Partial<typeof WAIT> = {}): Promise<string> {
  const item = { requestType: 'RESERVE' as const, requester, ttlSeconds: 60 };
  const items = wanted.map(([resource, count]) => ({ ...item, resource, count }));
  const { engine, credential } = running;
  const options = { wait: { ...WAIT, ...wait }, call: CALL };
  return (await transactWith(engine, credential, 'ALL_OR_NONE', items, options)).result.status;
}

/** Reserves one of each, or waits for all of them. */
const awaitAll = (requester: string, resources: readonly string[], waitSeconds = WAIT.waitSeconds) =>
  wantAll(
    requester,
    resources.map((resource) => [resource, 1] as const),
    { waitSeconds },
  );

/** Those who wait, in the order of the queue. */
const queue = async () => (await all(waiting(running.engine, running.credential))).map(({ requester }) => requester);

describe('the first of the queue', () => {
  const registerBay = () =>
    changeInRedis(running.engine).register(running.credential, [
      { name: 'bay', capacity: 2, blocks: [], treePath: null },
    ]);
  /** Two slots are enough for each of these. */
  const OF_TWO = {
    'two of a pool of two, and one of these by name': [
      ['bay', 2],
      ['bay_1', 1],
    ],
    'two of a pool of two, and both by name': [
      ['bay', 2],
      ['bay_0', 1],
      ['bay_1', 1],
    ],
  } as const satisfies Record<string, Wanted>;

  test.each(Object.entries(OF_TWO))('is next, also if it asks for %s', async (_, ofTwo) => {
    await registerBay();
    const door = await take('holder', 'door');
    const wanted = [...ofTwo, ['door', 1], ['lamp', 1]] as const;
    expect(await wantAll('ann', wanted)).toBe('WAITING');
    for (const name of ['lamp', 'bay', 'bay_0', 'bay_1'])
      expect(await take('stranger', name), name).toMatchObject({
        status: 'NOT_AVAILABLE',
        explanation: 'NOT_AVAILABLE: kept for a waiting request',
      });
    if (door) await unreserve(running.engine, running.credential, [door]);
    expect(await wantAll('ann', wanted)).toBe('APPLIED');
  });

  test.each(Object.entries(OF_TWO))(
    'keeps nothing any more as soon as another one is before it, also if it asks for %s',
    async (_, ofTwo) => {
      await registerBay();
      await take('holder', 'door');
      await take('holder', 'hall');
      expect(await wantAll('ann', [...ofTwo, ['door', 1], ['lamp', 1]])).toBe('WAITING');
      expect(await askFor('bob', 'lamp')).toMatchObject({ status: 'WAITING' });
      const urgent = [
        ['bay', 1],
        ['hall', 1],
      ] as const;
      expect(await wantAll('carl', urgent, { priority: 1 })).toBe('WAITING');
      expect(await queue()).toEqual(['carl', 'ann']);
    },
  );
});

describe('a slot that is kept no longer', () => {
  // All but the last want what another one keeps, too, so none of them can be granted.
  test('is granted at once to the first 64 who wait for it', async () => {
    await take('holder', 'P');
    await take('holder', 'R');
    await awaitAll('keeper', ['P', 'K'], 15);
    await awaitAll('other', ['R', 'L']);
    const waiters = Array.from({ length: 63 }, (_, i) => `waiter${i}`);
    for (const waiter of waiters) expect(await awaitAll(waiter, ['K', 'L'])).toBe('WAITING');
    expect(await askFor('last', 'K')).toMatchObject({ status: 'WAITING', waiting: { waitsFor: 'K' } });
    await setClock(running.engine.redis, running.credential.tenant, START + 15_000);
    await beat(running.engine, running.credential.tenant, CALL.instance);
    expect(await queue()).toEqual(['other', ...waiters]);
    expect(await askFor('last', 'K')).toMatchObject({ status: 'ACQUIRED' });
  });
});

describe('somebody who holds what a next ticket begins to wait for', () => {
  test('gets what is kept for others, in the step in which the ticket begins to', async () => {
    await changeInRedis(running.engine).register(running.credential, [
      { name: 'printer', capacity: 2, blocks: ['ink'], treePath: null },
      { name: 'bay', capacity: 2, blocks: [], treePath: null },
    ]);
    await take('holder', 'printer');
    for (const name of ['paper', 'lamp', 'chair', 'bay']) await take('other', name);
    expect(await awaitAll('keeps ink', ['paper', 'ink'])).toBe('WAITING');
    expect(await awaitAll('keeps desk', ['desk', 'chair'])).toBe('WAITING');
    expect(await awaitAll('keeps bay', ['bay', 'lamp'])).toBe('WAITING');
    expect(await awaitAll('prints', ['bay', 'printer'])).toBe('WAITING');
    expect(await askFor('holder', 'desk')).toMatchObject({ status: 'WAITING' });
    // The bay is kept no longer. To print, the ink is lacked now, which only the holder can give up.
    expect(await wantAll('urgent', [['lamp', 1]], { priority: 1 })).toBe('WAITING');
    expect(await queue()).toEqual(['urgent', 'keeps ink', 'keeps desk', 'keeps bay', 'prints']);
  });

  test('gets it also if the ticket waits since that is kept', async () => {
    await changeInRedis(running.engine).register(running.credential, [
      { name: 'bay', capacity: 2, blocks: [], treePath: null },
    ]);
    await take('x', 'held');
    await take('cat', 'bay_1', 'SHARED');
    await wantAll('ann', [
      ['held', 1],
      ['bay', 2],
    ]);
    expect((await askFor('cat', 'bay_0'))?.status).toBe('WAITING');
    expect((await askFor('bob', 'bay_1', 'SHARED'))?.status).toBe('WAITING');
    expect(await queue()).toEqual(['ann', 'bob']);
  });
});

describe('a ticket that could be granted what it has waited for', () => {
  test('lets nobody overtake who holds that SHARED', async () => {
    await take('x', 'held');
    const freed = await take('y', 'door');
    await awaitAll('ann', ['held', 'desk']);
    expect((await askFor('bob', 'door', 'SHARED'))?.status).toBe('WAITING');
    expect((await askFor('bob', 'desk'))?.status).toBe('WAITING');
    expect((await askFor('cat', 'door', 'SHARED'))?.status).toBe('WAITING');
    // Bob gets the door first, and cat could have it, too.
    await unreserve(running.engine, running.credential, freed ? [freed] : []);
    expect(await queue()).toEqual(['ann', 'bob']);
  });

  test('lets nobody overtake who holds another slot of that', async () => {
    await changeInRedis(running.engine).register(running.credential, [
      { name: 'bay', capacity: 2, blocks: [], treePath: null },
    ]);
    await take('x', 'held');
    await take('bob', 'bay');
    const freed = [await take('y', 'bay'), await take('y', 'desk')].flatMap((one) => one ?? []);
    await awaitAll('ann', ['held', 'desk']);
    expect((await askFor('bob', 'desk'))?.status).toBe('WAITING');
    expect((await askFor('cat', 'bay'))?.status).toBe('WAITING');
    await unreserve(running.engine, running.credential, freed);
    expect(await queue()).toEqual(['ann', 'bob']);
  });
});

describe('a booked slot', () => {
  test('is kept for who names it for a lease that ends before, and another one for longer', async () => {
    const { engine, credential } = running;
    await changeInRedis(engine).register(credential, [
      { name: 'bay', capacity: 2, blocks: [], treePath: null, bookable: true },
    ]);
    const start = START / 1000 + 300;
    const bookings = [{ resource: 'bay_0', requester: 'boss', start, end: start + 600 }];
    await book(engine, credential, { bookings, skipConflicts: false });
    await take('x', 'bay_1');
    const item = { requestType: 'RESERVE' as const, requester: 'ann' };
    const items = [
      { ...item, resource: 'bay_1', ttlSeconds: 600 },
      { ...item, resource: 'bay_0', ttlSeconds: 10 },
    ];
    await transactWith(engine, credential, 'ALL_OR_NONE', items, { wait: WAIT, call: CALL });
    const [other] = await reserve(engine, credential, [{ resource: 'bay', requester: 'bob', ttlSeconds: 10 }]);
    expect(other?.explanation).toBe('NOT_AVAILABLE: kept for a waiting request');
  });
});

describe('a set of 20 among sets of 20 in small pools', () => {
  test('waits: to judge whose turn has come does not exceed the work of a request', async () => {
    const pools = Array.from({ length: 60 }, (_, i) => ({
      name: `pool${i}`,
      capacity: 10,
      blocks: [],
      treePath: null,
    }));
    await changeInRedis(running.engine).register(running.credential, pools);
    // Steps of a prime number of pools: the sets overlap in all ways, and most of them take what others want.
    const setOf = (i: number) => Array.from({ length: 20 }, (_, j) => `pool${(i * i + j * (1 + (i % 29) * 2)) % 60}`);
    const sets = Array.from({ length: 90 }, (_, i) => [...new Set(setOf(i))]);
    for (const [i, set] of sets.entries()) expect(['APPLIED', 'WAITING']).toContain(await awaitAll(`team${i}`, set));
  });
});
