/**
 * Requests for SHARED holds that could never be granted get no ticket (docs/specification.md#tickets).
 */
import { describe, expect, test } from 'vitest';
import { changeInRedis } from '../../../src/definitions/change.ts';
import { transaction as transactWith } from '../../../src/engine/reservations/transaction.ts';
import { reserve } from '../../support/verbs.ts';
import { CALL, running, useWaitingEngine } from '../../support/waitingEngine.ts';

useWaitingEngine();

const makePool = () =>
  changeInRedis(running.engine, 16).register(running.credential, [
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

describe('a pool that is asked for SHARED by its logical name', () => {
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
