/**
 * The condition is a part of a match (docs/specification.md#any-resource-that-fits, #condition).
 */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReserveItem } from '../../../src/contract/reservations.ts';
import { changeInRedis } from '../../../src/definitions/change.ts';
import { setCondition } from '../../../src/engine/reservations/conditions.ts';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { waiting } from '../../../src/engine/waiting/list.ts';
import { all } from '../../support/listed.ts';
import { reserve, reset, unreserve } from '../../support/verbs.ts';
import { CALL, running, useWaitingEngine } from '../../support/waitingEngine.ts';

useWaitingEngine();

type Condition = 'ready' | 'dirty' | 'out';
const match = { os: 'a' };
const set = (resource: string, condition: Condition) =>
  setCondition(running.engine, running.credential, [{ resource, condition }]);
const register = (...definitions: { name: string; capacity?: number; afterUse?: 'ready' | 'dirty' }[]) =>
  changeInRedis(running.engine).register(
    running.credential,
    definitions.map((one) => ({ capacity: 1, blocks: [], treePath: null, labels: match, ...one })),
  );
const any = (requester: string, condition?: 'dirty' | 'out'): ReserveItem => ({
  resource: 'os=a',
  match,
  requester,
  ...(condition && { condition }),
});
const take = async (...items: ReserveItem[]) =>
  (await reserve(running.engine, running.credential, items)).map(({ status, resource }) => `${status} ${resource}`);
const wait = async (item: ReserveItem) => {
  const waitingItem = { ...item, ttlSeconds: 60, waitSeconds: 600 };
  const { result } = await reserveWith(running.engine, running.credential, [waitingItem], CALL);
  return result.map(({ status, resource }) => `${status} ${resource}`);
};
const waiters = async () => (await all(waiting(running.engine, running.credential))).map(({ requester }) => requester);

describe('a match picks only slots in the condition that it asks for', () => {
  beforeEach(() => register({ name: 'p1' }, { name: 'p2' }, { name: 'p3', capacity: 2 }));

  test('of single resources and pools', async () => {
    await set('p1', 'dirty');
    await set('p3_0', 'out');
    expect(await take(any('x'), any('y'), any('z'))).toEqual(['ACQUIRED p2', 'ACQUIRED p3', 'NOT_AVAILABLE os=a']);
    expect(await take(any('x', 'dirty'), any('y', 'dirty'))).toEqual(['ACQUIRED p1', 'NOT_AVAILABLE os=a']);
    expect(await take(any('x', 'out'), any('y', 'out'))).toEqual(['ACQUIRED p3', 'NOT_AVAILABLE os=a']);
  });

  test('also when slots change their condition later', async () => {
    expect(await take(any('x', 'dirty'))).toEqual(['NOT_AVAILABLE os=a']);
    await set('p2', 'dirty');
    expect(await take(any('x'), any('y'), any('z'), any('w'))).toEqual([
      'ACQUIRED p1',
      'ACQUIRED p3',
      'ACQUIRED p3',
      'NOT_AVAILABLE os=a',
    ]);
    expect(await take(any('v'))).toEqual(['NOT_AVAILABLE os=a']);
    await set('p2', 'ready');
    expect(await take(any('v'))).toEqual(['ACQUIRED p2']);
    expect(await take(any('v', 'dirty'))).toEqual(['NOT_AVAILABLE os=a']);
  });

  test('and is another match than one for another condition', async () => {
    await set('p2', 'dirty');
    expect(await take(any('x'), any('x', 'dirty'), any('x'))).toEqual(['ACQUIRED p1', 'ACQUIRED p2', 'ACQUIRED p3']);
    expect(await take(any('x', 'dirty'), any('x'))).toEqual(['ALREADY_HAD p2', 'ALREADY_HAD p1']);
  });
});

test('a match finds what is dirty after use, once it is released, and after a reset', async () => {
  await register({ name: 'p1', afterUse: 'dirty' });
  expect(await take(any('x'))).toEqual(['NOT_AVAILABLE os=a']);
  expect(await take(any('c', 'dirty'))).toEqual(['ACQUIRED p1']);
  const [cleaning] = await reserve(running.engine, running.credential, [any('c', 'dirty')]);
  const key = { resource: 'p1', requester: 'c', releaseToken: cleaning?.releaseToken ?? '' };
  await unreserve(running.engine, running.credential, [{ ...key, condition: 'ready' }]);
  expect(await take(any('d', 'dirty'), any('x'))).toEqual(['NOT_AVAILABLE os=a', 'ACQUIRED p1']);
  await reset(running.engine, running.credential);
  expect(await take(any('x'), any('c', 'dirty'))).toEqual(['NOT_AVAILABLE os=a', 'ACQUIRED p1']);
});

test('a match finds what becomes dirty since its definition says so', async () => {
  await register({ name: 'p1' });
  expect(await take(any('c', 'dirty'))).toEqual(['NOT_AVAILABLE os=a']);
  await register({ name: 'p1', afterUse: 'dirty' });
  expect(await take(any('c', 'dirty'))).toEqual(['ACQUIRED p1']);
});

describe('a match that waits is granted what comes into its condition', () => {
  test('in that step, and no slot in another one', async () => {
    await register({ name: 'p1' }, { name: 'p2' });
    await set('p1', 'out');
    await set('p2', 'out');
    expect(await wait(any('user'))).toEqual(['WAITING os=a']);
    expect(await wait(any('cleaner', 'dirty'))).toEqual(['WAITING os=a']);
    await set('p2', 'dirty');
    expect(await waiters()).toEqual(['user']);
    expect(await wait(any('cleaner', 'dirty'))).toEqual(['ACQUIRED p2']);
    await set('p1', 'ready');
    expect(await wait(any('user'))).toEqual(['ACQUIRED p1']);
  });

  test('from a release that leaves it dirty', async () => {
    await register({ name: 'p1' });
    const [held] = await reserve(running.engine, running.credential, [{ resource: 'p1', requester: 'x' }]);
    await wait(any('user'));
    await wait(any('cleaner', 'dirty'));
    const key = { resource: 'p1', requester: 'x', releaseToken: held?.releaseToken ?? '' };
    await unreserve(running.engine, running.credential, [{ ...key, condition: 'dirty' }]);
    expect(await waiters()).toEqual(['user']);
  });
});
