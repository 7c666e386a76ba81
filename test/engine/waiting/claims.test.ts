/**
 * Claims: the answer to the caller of a grant, and the lease that begins (docs/specification.md#waiting-lifetimes).
 */
import { describe, expect, test } from 'vitest';
import { changeInRedis } from '../../../src/definitions/change.ts';
import { newReleaseToken } from '../../../src/engine/reservations/releaseToken.ts';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { transaction as transactWith } from '../../../src/engine/reservations/transaction.ts';
import type { WaitCall } from '../../../src/engine/waiting/call.ts';
import { waiting } from '../../../src/engine/waiting/list.ts';
import { type RunningEngine, SMALL_PIECES, startEngine } from '../../support/engine.ts';
import { all } from '../../support/listed.ts';
import { makeTenant } from '../../support/service.ts';
import { reserve, unreserve } from '../../support/verbs.ts';
import { CALL, running, useWaitingEngine } from '../../support/waitingEngine.ts';

const START = Date.UTC(2050, 0, 1);

useWaitingEngine(START);

test('of the items of the call that claims, only later ones show the lease that has begun', async () => {
  const { engine, credential } = running;
  const item = { resource: 'a', ttlSeconds: 30, waitSeconds: 600 };
  const [held] = await reserve(engine, credential, [{ resource: 'a', requester: 'x' }]);
  const wanted = { ...item, requester: 'ann' };
  await reserveWith(engine, credential, [wanted], CALL);
  if (held) await unreserve(engine, credential, [held]);
  const other = { resource: 'a', requester: 'bob' };
  const { result } = await reserveWith(engine, credential, [other, wanted, other], CALL);
  const expiresAt = new Date(START + 30_000).toISOString();
  expect(result).toMatchObject([
    { heldBy: { requester: 'ann', expiresAt: new Date(START + 10_000).toISOString() } },
    { status: 'ACQUIRED', expiresAt },
    { heldBy: { requester: 'ann', expiresAt } },
  ]);
});

test('a FIRST that names a pool with several counts gets the lease and the token of the item that was granted', async () => {
  const { engine, credential } = running;
  await changeInRedis(engine).register(credential, [{ name: 'p', capacity: 2, blocks: [], treePath: null }]);
  const [held] = await reserve(engine, credential, [{ resource: 'p', requester: 'x' }]);
  await reserve(engine, credential, [{ resource: 'p', requester: 'y' }]);
  const item = { requestType: 'RESERVE' as const, resource: 'p', requester: 'ann' };
  const items = [
    { ...item, count: 2, ttlSeconds: 60 },
    { ...item, ttlSeconds: 30 },
  ];
  const wait = { waitSeconds: 600 };
  const send = () => transactWith(engine, credential, 'FIRST', items, { wait, call: CALL });
  expect((await send()).result.status).toBe('WAITING');
  if (held) await unreserve(engine, credential, [held]);
  expect((await send()).result).toMatchObject({
    status: 'APPLIED',
    results: [
      { explanation: 'SKIPPED' },
      { status: 'ACQUIRED', waitedMs: 0, expiresAt: new Date(START + 30_000).toISOString() },
    ],
  });
});

describe('a claim whose reply was lost', () => {
  const item = { resource: 'a', requester: 'ann', ttlSeconds: 30, waitSeconds: 600 };
  const CONTINUED = { ...CALL, isContinuation: true, tokens: [newReleaseToken()] };
  const grant = async (wait: () => Promise<unknown>) => {
    const { engine, credential } = running;
    const [held] = await reserve(engine, credential, [{ resource: 'a', requester: 'x' }]);
    await wait();
    if (held) await unreserve(engine, credential, [held]);
  };

  test('is answered ACQUIRED if the script is called again with the same token, else ALREADY_HAD', async () => {
    const { engine, credential } = running;
    await grant(() => reserveWith(engine, credential, [item], CALL));
    const claim = async (call = CONTINUED) => (await reserveWith(engine, credential, [item], call)).result;
    const first = await claim();
    expect(first).toMatchObject([{ status: 'ACQUIRED', releaseToken: expect.any(String) }]);
    expect(await claim()).toEqual(first);
    expect(await claim({ ...CONTINUED, tokens: [newReleaseToken()] })).toMatchObject([{ status: 'ALREADY_HAD' }]);
  });

  test('of a transaction too', async () => {
    const { engine, credential } = running;
    const { waitSeconds, ...reserved } = { ...item, requestType: 'RESERVE' as const };
    const claim = async (call: WaitCall = CONTINUED) =>
      (await transactWith(engine, credential, 'ALL_OR_NONE', [reserved], { wait: { waitSeconds }, call })).result;
    await grant(() => claim(CALL));
    const first = await claim();
    expect(first).toMatchObject({ status: 'APPLIED', results: [{ status: 'ACQUIRED' }] });
    expect(await claim()).toEqual(first);
  });
});

/**
 * Later scripts go on with the walks that a script has left, whichever tenant's script runs in between
 * (docs/specification.md#waiting-order).
 */
describe('queues that are left unsettled', () => {
  const WAIT = { ttlSeconds: 60, waitSeconds: 60, claimSeconds: 30 };

  /** Has things held, and others wait for each of them. */
  async function begin({ engine, credential }: RunningEngine, names: readonly string[]) {
    await engine.loadTenant(credential.tenant);
    const held = await reserve(
      engine,
      credential,
      names.map((resource) => ({ resource, requester: 'holder' })),
    );
    for (const resource of names)
      await reserve(engine, credential, [{ resource, requester: `of ${resource}`, ...WAIT }], CALL);
    return held.map(({ resource, requester, releaseToken }) => ({ resource, requester, releaseToken }));
  }

  const listed = async ({ engine, credential }: RunningEngine) =>
    (await all(waiting(engine, credential))).map(({ requester }) => requester);

  test('a queue that is left unsettled is settled after a script of a tenant whose queue is settled', async () => {
    const start = () => startEngine(makeTenant(), undefined, SMALL_PIECES);
    const [one, other] = await Promise.all([start(), start()]);
    try {
      await begin(other, ['a']);
      const held = await begin(one, ['x', 'y', 'z']);
      await unreserve(one.engine, one.credential, held);
      expect(await listed(other)).toEqual(['of a']);
      expect(await listed(one)).toEqual([]);
    } finally {
      for (const running of [one, other]) running.stop();
    }
  });

  test('the release of what is held SHARED waits until the queue is settled', async () => {
    const shared = await startEngine(makeTenant(), undefined, SMALL_PIECES);
    try {
      const held = await begin(shared, ['x', 'y', 'z']);
      const readers = ['one', 'two'].map((requester) => ({ resource: 'doc', requester, mode: 'SHARED' as const }));
      const docs = await reserve(shared.engine, shared.credential, readers);
      await unreserve(shared.engine, shared.credential, held);
      expect(await unreserve(shared.engine, shared.credential, docs.slice(0, 1))).toMatchObject([
        { status: 'RELINQUISHED' },
      ]);
      expect(await listed(shared)).toEqual([]);
    } finally {
      shared.stop();
    }
  });
});
