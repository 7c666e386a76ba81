/**
 * A match that waits takes a resource as soon as one fits that its requester does not hold, also if others hold a slot
 * (docs/specification.md#any-resource-that-fits).
 */
import { describe, expect, test } from 'vitest';
import { changeInRedis } from '../../../src/definitions/change.ts';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { transaction as transactWith } from '../../../src/engine/reservations/transaction.ts';
import { waiting } from '../../../src/engine/waiting/list.ts';
import { all } from '../../support/listed.ts';
import { reserve, transaction, unreserve } from '../../support/verbs.ts';
import { CALL, running, useWaitingEngine } from '../../support/waitingEngine.ts';

useWaitingEngine();

/** Registers p with two slots, and a resource below it. */
const makePool = () =>
  changeInRedis(running.engine).register(running.credential, [
    { name: 'p', capacity: 2, blocks: [], treePath: null, labels: { os: 'a' } },
    { name: 'below', capacity: 1, blocks: [], treePath: 'p' },
  ]);

/** Reserves resources for ann. Returns how to release the last. */
async function take(mode: 'SHARED' | 'EXCLUSIVE', ...resources: string[]) {
  const { engine, credential } = running;
  const items = resources.map((resource) => ({ resource, requester: 'ann', mode }));
  const last = (await reserve(engine, credential, items)).at(-1);
  return { resource: last?.resource ?? '', requester: 'ann', releaseToken: last?.releaseToken ?? '' };
}

/** Asks for any resource that fits, for ann. Returns the result. */
async function ask() {
  const item = { match: { os: 'a' }, resource: 'os=a', requester: 'ann', ttlSeconds: 60, waitSeconds: 600 };
  return (await reserveWith(running.engine, running.credential, [item], CALL)).result[0];
}

/** Expects that ann's ticket was granted a resource, before ann asks again. */
async function expectGrant(acquiredSlots: object) {
  expect(await all(waiting(running.engine, running.credential))).toEqual([]);
  expect(await ask()).toMatchObject({ status: 'ACQUIRED', resource: 'p', acquiredSlots });
}

test('after a SHARED hold that others still have', async () => {
  const { engine, credential } = running;
  await reserve(engine, credential, [{ resource: 'p', requester: 'bob', mode: 'SHARED' }]);
  const held = await take('SHARED', 'p');
  await makePool();
  expect(await ask()).toMatchObject({ status: 'WAITING' });
  await unreserve(engine, credential, [held]);
  await expectGrant({ p: 'p_0' });
});

test('after a reservation of an ancestor of something else that it holds', async () => {
  await makePool();
  const held = await take('EXCLUSIVE', 'below', 'p');
  expect(await ask()).toMatchObject({ status: 'WAITING' });
  await unreserve(running.engine, running.credential, [held]);
  await expectGrant({ p: 'p_0' });
});

test('after a transaction that hands its slot to somebody else', async () => {
  await makePool();
  const held = await take('EXCLUSIVE', 'p');
  expect(await ask()).toMatchObject({ status: 'WAITING' });
  await transaction(running.engine, running.credential, 'ALL_OR_NONE', [
    { requestType: 'UNRESERVE', ...held },
    { requestType: 'RESERVE', resource: 'p_0', requester: 'bob' },
  ]);
  await expectGrant({ p: 'p_1' });
});

test('in the step that registers the first labels of the tenant', async () => {
  const { engine, credential } = running;
  await reserve(engine, credential, [{ resource: 'q', requester: 'bob' }]);
  const both = [{ resource: 'q' }, { resource: 'os=a', match: { os: 'a' } }];
  const items = both.map((one) => ({ requestType: 'RESERVE' as const, requester: 'ann', ttlSeconds: 60, ...one }));
  const waiting = { wait: { waitSeconds: 600 }, call: CALL };
  const asked = await transactWith(engine, credential, 'FIRST', items, waiting);
  expect(asked.result.status).toBe('WAITING');
  await makePool();
  const { result } = await transactWith(engine, credential, 'FIRST', items, waiting);
  expect(result.results).toMatchObject([
    { explanation: 'SKIPPED' },
    { status: 'ACQUIRED', acquiredSlots: { p: 'p_0' } },
  ]);
});

test('an attended transaction with a match keeps nothing, also of what it names', async () => {
  const { engine, credential } = running;
  await makePool();
  const both = [{ resource: 'licence' }, { resource: 'os=a', match: { os: 'a' } }];
  const items = both.map((one) => ({ requestType: 'RESERVE' as const, requester: 'ann', ttlSeconds: 60, ...one }));
  await reserve(engine, credential, [
    { resource: 'p', requester: 'x' },
    { resource: 'p', requester: 'y' },
  ]);
  const asked = await transactWith(engine, credential, 'ALL_OR_NONE', items, {
    wait: { waitSeconds: 600 },
    call: CALL,
  });
  expect(asked.result.status).toBe('WAITING');
  const others = await reserve(engine, credential, [{ resource: 'licence', requester: 'bob' }]);
  expect(others).toMatchObject([{ status: 'ACQUIRED' }]);
});

test('a transaction that can be had since its match has to pick something else is granted when it is sent again', async () => {
  const { engine, credential } = running;
  const pools = [{ labels: { os: 'a', size: 'l' } }, { labels: { os: 'a' } }].map((one, i) => ({
    ...one,
    name: `p${i}`,
    capacity: 2,
    blocks: [],
    treePath: null,
  }));
  await changeInRedis(engine).register(credential, pools);
  const matches = [
    { resource: 'os=a', match: { os: 'a' }, count: 2 },
    { resource: 'size=l', match: { size: 'l' } },
  ];
  const items = matches.map((one) => ({ requestType: 'RESERVE' as const, requester: 'ann', ttlSeconds: 60, ...one }));
  const send = () => transactWith(engine, credential, 'ALL_OR_NONE', items, { wait: { waitSeconds: 600 }, call: CALL });
  expect((await send()).result.status).toBe('WAITING');
  await reserve(engine, credential, [{ resource: 'p0', requester: 'bob' }]);
  expect((await send()).result).toMatchObject({ status: 'APPLIED', results: [{ resource: 'p1' }, { resource: 'p0' }] });
});

/**
 * Requests for SHARED holds that could never be granted get no ticket (docs/specification.md#tickets).
 */
describe('waiting for what can be shared', () => {
  const makePool = () =>
    changeInRedis(running.engine).register(running.credential, [
      { name: 'p', capacity: 2, blocks: [], treePath: null },
    ]);
  const take = (requester: string, mode: 'SHARED' | 'EXCLUSIVE' = 'EXCLUSIVE') =>
    reserve(running.engine, running.credential, [{ resource: 'p', requester, mode }]);

  /** Asks for p in each of these modes, and waits if that may help. */
  async function ask(method: 'ALL_OR_NONE' | 'FIRST', ...modes: ('SHARED' | 'EXCLUSIVE')[]) {
    const { engine, credential } = running;
    const item = { requestType: 'RESERVE' as const, resource: 'p', requester: 'ann', ttlSeconds: 60 };
    const items = modes.map((mode) => ({ ...item, mode }));
    const waiting = { wait: { waitSeconds: 600 }, call: CALL };
    return (await transactWith(engine, credential, method, items, waiting)).result;
  }

  describe('a pool that is requested SHARED by its logical name', () => {
    test('is not valid beside the same pool as it is', async () => {
      await makePool();
      await take('x');
      await take('y');
      expect(await ask('ALL_OR_NONE', 'EXCLUSIVE', 'SHARED')).toMatchObject({ status: 'ROLLED_BACK' });
    });

    test('is not valid in a FIRST of a requester that holds a slot of it', async () => {
      await makePool();
      await take('ann');
      expect(await ask('FIRST', 'SHARED')).toMatchObject({ status: 'ROLLED_BACK', results: [{ status: 'NOT_VALID' }] });
    });
  });

  test('a requester that holds a plain resource SHARED does not wait for it as a pool', async () => {
    await take('ann', 'SHARED');
    await makePool();
    expect(await ask('ALL_OR_NONE', 'EXCLUSIVE')).toMatchObject({
      status: 'ROLLED_BACK',
      results: [{ explanation: 'ALREADY_HELD: you hold it SHARED; release it first' }],
    });
  });
});
