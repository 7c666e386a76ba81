/**
 * The order in which waiting requests are served (docs/specification.md#waiting-order): a large request does not
 * starve, a request far from its turn idles nobody, and somebody who must finish to make room can finish.
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../../src/contract/reservations.ts';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { transaction as transactWith } from '../../../src/engine/reservations/transaction.ts';
import { beat } from '../../../src/engine/waiting/beat.ts';
import { cancel } from '../../../src/engine/waiting/cancel.ts';
import { setClock } from '../../support/clock.ts';
import { reserve, unreserve } from '../../support/verbs.ts';
import { CALL, queue, register, running, useWaitingEngine } from '../../support/waitingEngine.ts';

const START = Date.UTC(2050, 0, 1);
const WAIT = { waitSeconds: 600 };

useWaitingEngine(START);

const passTo = (ms: number) => setClock(running.engine.redis, running.credential.tenant, ms);
/** Tries to reserve. */
async function take(requester: string, resource: string, ttlSeconds = 60): Promise<ReserveResult | undefined> {
  const [result] = await reserve(running.engine, running.credential, [{ resource, requester, ttlSeconds }]);
  return result;
}

/** Reserves, or waits. */
async function askFor(requester: string, resource: string, priority = 0): Promise<ReserveResult | undefined> {
  const item = { resource, requester, ttlSeconds: 60, ...WAIT, priority };
  const { result } = await reserveWith(running.engine, running.credential, [item], CALL);
  return result[0];
}

/** Reserves all of these, or waits for all of them. */
const awaitAll = (requester: string, resources: string[], waitSeconds = WAIT.waitSeconds) =>
  transact('ALL_OR_NONE', requester, resources, waitSeconds);

/** Reserves the first of these that can be had, or waits for that. */
const awaitFirst = (requester: string, resources: string[], count?: number) =>
  transact('FIRST', requester, resources, WAIT.waitSeconds, count);

async function transact(
  method: 'ALL_OR_NONE' | 'FIRST',
  requester: string,
  resources: string[],
  waitSeconds: number,
  count = 1,
): Promise<string> {
  const item = { requestType: 'RESERVE' as const, requester, ttlSeconds: 60, count };
  const items = resources.map((resource) => ({ ...item, resource }));
  const { engine, credential } = running;
  const { result } = await transactWith(engine, credential, method, items, { wait: { waitSeconds }, call: CALL });
  return result.status;
}

/** Reserves several slots, or waits for them. */
async function askForSeveral(requester: string, count: number): Promise<ReserveResult | undefined> {
  const item = { resource: 'p', requester, ttlSeconds: 60, count, ...WAIT };
  return (await reserveWith(running.engine, running.credential, [item], CALL)).result[0];
}

describe('a request for several slots', () => {
  test.each([3, 100])('is kept all of %i slots once its turn has come, and is granted all at once', async (count) => {
    await register({ name: 'p', capacity: count + 1 });
    const held = await Promise.all(Array.from({ length: count + 1 }, (_, i) => take(`holder${i}`, 'p')));
    expect(await askForSeveral('heavy', count)).toMatchObject({ status: 'WAITING', waiting: { waitsFor: 'p' } });
    for (const one of held.slice(0, count)) {
      expect((await take('light', 'p'))?.status).toBe('NOT_AVAILABLE');
      if (one) await unreserve(running.engine, running.credential, [one]);
    }
    expect(await askForSeveral('heavy', count)).toMatchObject({ status: 'ACQUIRED', slots: { length: count } });
  });

  test('is another request than one for another count', async () => {
    await register({ name: 'p', capacity: 3 });
    await take('holder', 'p');
    expect((await askForSeveral('a', 3))?.status).toBe('WAITING');
    expect((await askForSeveral('a', 2))?.status).not.toBe('WAITING');
  });

  test('that only its own holds prevent gets no ticket', async () => {
    await register({ name: 'p', capacity: 3 });
    await take('a', 'p_1');
    expect(await askForSeveral('a', 3)).toMatchObject({ status: 'NOT_AVAILABLE' });
  });
});

describe('a request for a whole pool', () => {
  test('is granted within the longest single hold, however many others try for one slot', async () => {
    const LONGEST_S = 20;
    const slots = Array.from({ length: 8 }, (_, i) => `p_${i}`);
    await register({ name: 'p', capacity: 8 });
    let seed = 7;
    const holdS = () => {
      seed = (seed * 16807) % 2147483647;
      return 1 + (seed % LONGEST_S);
    };
    // Light requests keep the pool full before the large one comes.
    let now = START;
    let names = 0;
    const crowd = async () => {
      let acquired = 0;
      while ((await take(`light-${names++}`, 'p', holdS()))?.status === 'ACQUIRED') acquired++;
      return acquired;
    };
    for (let i = 0; i < 20; i++) {
      await crowd();
      now += 700;
      await passTo(now);
    }
    await crowd();
    expect(await awaitAll('heavy', slots)).toBe('WAITING');
    const began = now;
    let status = 'WAITING';
    while (status === 'WAITING' && now - began <= LONGEST_S * 1000) {
      expect(await crowd(), 'light requests that took what is kept').toBe(0);
      now += 500;
      await passTo(now);
      await beat(running.engine, running.credential.tenant, CALL.instance);
      status = await awaitAll('heavy', slots);
    }
    expect(status).toBe('APPLIED');
    expect(now - began).toBeLessThanOrEqual(LONGEST_S * 1000);
  });
});

describe('requests far from their turn', () => {
  test('keep nothing: 49 wait for one phone, and the other phones of the lab go to others', async () => {
    const phones = Array.from({ length: 50 }, (_, i) => `phone${i}`);
    await register({ name: 'lab', capacity: 50 }, ...phones.map((name) => ({ name, treePath: 'lab' })));
    expect(await take('holder', 'phone0')).toMatchObject({ status: 'ACQUIRED' });
    for (let i = 0; i < 49; i++) expect(await askFor(`waiter-${i}`, 'phone0')).toMatchObject({ status: 'WAITING' });
    // 49 slots of the lab are free. One is kept for the one request whose turn has come at the phone.
    for (let i = 1; i <= 48; i++)
      expect(await take(`other-${i}`, `phone${i}`), `phone${i}`).toMatchObject({ status: 'ACQUIRED' });
    expect(await take('other-49', 'phone49')).toMatchObject({
      status: 'NOT_AVAILABLE',
      explanation: 'NOT_AVAILABLE: kept for a waiting request',
    });
  });
});

describe('somebody who holds what others wait for', () => {
  test('gets what is kept for them, so that it can finish', async () => {
    expect(await take('holder', 'A')).toMatchObject({ status: 'ACQUIRED' });
    expect(await awaitAll('waiter', ['A', 'B'])).toBe('WAITING');
    expect(await take('stranger', 'B')).toMatchObject({ status: 'NOT_AVAILABLE' });
    expect(await take('holder', 'B')).toMatchObject({ status: 'ACQUIRED' });
  });

  test('gets any slot of a pool that is not kept by name, as long as one is free', async () => {
    await register({ name: 'p', capacity: 3 });
    await take('holder', 'A');
    await take('holder', 'B');
    expect(await awaitAll('waiter', ['A', 'p_0'])).toBe('WAITING');
    const item = { requestType: 'RESERVE' as const, requester: 'two', ttlSeconds: 60 };
    const two = [
      { ...item, resource: 'p', count: 2 },
      { ...item, resource: 'B' },
    ];
    const { engine, credential } = running;
    const { result } = await transactWith(engine, credential, 'ALL_OR_NONE', two, { wait: WAIT, call: CALL });
    expect(result.status).toBe('WAITING');
    // Nobody else gets a slot now: p_0 is kept by name, and two more for two.
    expect((await take('stranger', 'p'))?.status).toBe('NOT_AVAILABLE');
    expect(await take('holder', 'p')).toMatchObject({ status: 'ACQUIRED', acquiredSlots: { p: 'p_1' } });
  });

  test('gets one of two slots of a pool for which somebody waits, since both are not free', async () => {
    await register({ name: 'p', capacity: 3 });
    await take('x', 'p_0');
    const freed = await take('y', 'p_1');
    await take('holder', 'p_2');
    await take('z', 'L');
    expect(await awaitAll('waiter', ['p_1', 'p', 'L'])).toBe('WAITING');
    await awaitAll('holder', ['p_1']);
    if (freed) await unreserve(running.engine, running.credential, [freed]);
    expect(await queue()).toEqual(['waiter: p_1 p L']);
  });

  test('gets nothing that is kept if those who wait for it are its own requests, which have it by then', async () => {
    const rented = await take('holder', 'R');
    await take('holder', 'P');
    await awaitAll('keeper', ['P', 'K']);
    await awaitAll('ann', ['R', 'K']);
    await awaitAll('ann', ['R', 'Q']);
    await askFor('ann', 'R', 1);
    if (rented) await unreserve(running.engine, running.credential, [rented]);
    // Both other requests of ann have R now. One of them could be granted if nothing were kept from her.
    expect(await queue()).toEqual(['keeper: P K', 'ann: R K']);
  });
});

describe('somebody who waits for what is kept, and holds what others want', () => {
  test.each([
    ['a name', 1],
    ['a small pool', 4],
    ['a large pool', 40],
  ])('%s: gets it in the step in which one of these gets its turn elsewhere', async (_, capacity) => {
    await register({ name: 'w', capacity });
    await take('holder', 'y');
    await take('holder', 'v');
    await take('ann', 'w');
    for (let i = 1; i < capacity; i++) await take(`other-${i}`, 'w');
    await awaitAll('keeper', ['x', 'y']);
    expect(await askFor('ann', 'x')).toMatchObject({ status: 'WAITING' });
    await askFor('first', 'v');
    // It waits for w, but its turn has not come at v.
    await awaitAll('second', ['w', 'v']);
    expect(await queue()).toContain('ann: x');
    await cancel(running.engine, running.credential, [{ resource: 'v', requester: 'first' }]);
    expect(await queue()).toEqual(['keeper: x y', 'second: w v']);
  });
});

describe('a requester that gets what another ticket of it wants, too', () => {
  test('has that ticket no longer, also if it was looked at before in the same step', async () => {
    await register({ name: 'p', capacity: 2 });
    await take('x', 'p');
    const held = [await take('y', 'Q'), await take('y', 'B')].flatMap((one) => one ?? []);
    await askForSeveral('ann', 2);
    await awaitAll('ann', ['Q']);
    await awaitAll('ann', ['B', 'p']);
    await unreserve(running.engine, running.credential, held);
    expect(await queue()).toEqual([]);
  });
});

describe('a FIRST that waits', () => {
  test('ends when its requester gets an item of it, also one that asks for too many slots', async () => {
    await register({ name: 'Room', treePath: 'House' }, { name: 'p', capacity: 2 });
    await take('holder', 'p');
    expect(await awaitFirst('ann', ['House>Room', 'p'], 2)).toBe('WAITING');
    await take('ann', 'Room');
    expect(await queue()).toEqual([]);
  });
});

describe('a slot that a ticket ahead lacks by name', () => {
  test('is given to nobody, also if that ticket is next only after the request', async () => {
    await register({ name: 'p', capacity: 3 });
    const held = [await take('x', 'p_0'), await take('y', 'p_1'), await take('z', 'p_2')];
    await askForSeveral('dan', 3);
    await askFor('ann', 'p');
    await askFor('carl', 'p_0');
    await askFor('dan', 'p');
    const freed = [held[0], held[2]].flatMap((one) => one ?? []);
    await unreserve(running.engine, running.credential, freed);
    // With one slot, dan would wait for three no longer, and carl would be next.
    expect(await queue()).toEqual(['dan: p', 'ann: p', 'carl: p_0', 'dan: p']);
  });
});

describe('a slot that is kept no longer', () => {
  test('is granted in the step in which its keeper gives up, however much was due before', async () => {
    await take('holder', 'P', 600);
    await awaitAll('keeper', ['P', 'K'], 15);
    const waiters = Array.from({ length: 20 }, (_, i) => `waiter${i}`);
    for (const waiter of waiters) expect(await awaitFirst(waiter, ['K', 'P'])).toBe('WAITING');
    for (const ttlSeconds of [11, 12, 13]) await take('other', `lease${ttlSeconds}`, ttlSeconds);
    await beat(running.engine, running.credential.tenant, CALL.instance);
    await passTo(START + 15_000);
    await beat(running.engine, running.credential.tenant, '');
    expect(await queue()).toEqual(waiters.slice(1).map((waiter) => `${waiter}: K P`));
  });

  test('is granted in the step in which its keeper loses its turn elsewhere', async () => {
    await take('holder', 'y');
    await awaitAll('keeper', ['x', 'y']);
    expect(await askFor('waiter', 'x')).toMatchObject({ status: 'WAITING' });
    await askFor('urgent', 'y', 1);
    expect(await queue()).toEqual(['urgent: y', 'keeper: x y']);
  });

  test('is granted in the step in which somebody ahead of its keeper gives up what the keeper waits for, too', async () => {
    await register({ name: 'y', capacity: 2 });
    const held = await take('ann', 'y');
    for (const name of ['y', 'z', 's']) await take('holder', name);
    await awaitAll('ann', ['y', 'z']);
    await awaitAll('bob', ['y', 's']);
    await awaitAll('keeper', ['x', 'y']);
    expect(await askFor('waiter', 'x')).toMatchObject({ status: 'WAITING' });
    // Together, ann, bob and keeper lack three of two slots then.
    if (held) await unreserve(running.engine, running.credential, [held]);
    expect(await queue()).toEqual(['ann: y z', 'bob: y s', 'keeper: x y']);
  });
});

describe("a request that waits for a blocker's slot", () => {
  test('is granted in the step in which that is held for the same resource, so that it can be joined', async () => {
    await register({ name: 'Ink' }, { name: 'printer', capacity: 2, blocks: ['Ink'] });
    const held = await take('holder', 'Ink');
    expect(await askFor('waiter', 'printer')).toMatchObject({ status: 'WAITING' });
    const { engine, credential } = running;
    const { result } = await transactWith(engine, credential, 'ALL_OR_NONE', [
      { requestType: 'UNRESERVE', resource: 'Ink', requester: 'holder', releaseToken: held?.releaseToken ?? null },
      { requestType: 'RESERVE', resource: 'printer', requester: 'holder', ttlSeconds: 60 },
    ]);
    expect(result.status).toBe('APPLIED');
    expect(await queue()).toEqual([]);
  });
});
