/** Definitions with conditions, and who waits for their slots, for tests of the engine (./waitingEngine.ts). */
import { expect } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { changeInRedis } from '../../src/definitions/change.ts';
import type { AfterUse, Condition } from '../../src/domain/conditions.ts';
import { setCondition } from '../../src/engine/reservations/conditions.ts';
import { reserve as reserveWith } from '../../src/engine/reservations/reserve.ts';
import { transaction as transactWith } from '../../src/engine/reservations/transaction.ts';
import { waiting } from '../../src/engine/waiting/list.ts';
import { all } from './listed.ts';
import { reserve, unreserve } from './verbs.ts';
import { CALL, running } from './waitingEngine.ts';

export const WAIT = { waitSeconds: 600, priority: 0 };

/** What a request wants: a name, or a name and more. */
export type Wanted = string | { resource: string; count?: number; condition?: 'dirty' | 'out' };
export const itemOf = (requester: string, wanted: Wanted) => ({
  requester,
  ttlSeconds: 600,
  ...(typeof wanted === 'string' ? { resource: wanted } : wanted),
});
export const dirty = (resource: string, count = 1) => ({ resource, count, condition: 'dirty' as const });

interface Pool {
  name: string;
  capacity?: number;
  treePath?: string;
  blocks?: string[];
  afterUse?: AfterUse;
}

export const register = (...items: Pool[]) =>
  changeInRedis(running.engine).register(
    running.credential,
    items.map(({ capacity = 1, treePath = null, blocks = [], ...item }) => ({ ...item, capacity, treePath, blocks })),
  );

export const become = async (condition: Condition, ...resources: string[]) => {
  const items = resources.map((resource) => ({ resource, condition }));
  const { result } = await setCondition(running.engine, running.credential, items);
  expect(result.map(({ status }) => status)).toEqual(resources.map(() => 'CHANGED'));
};

/** Tries to reserve. */
export async function take(requester: string, wanted: Wanted): Promise<ReserveResult> {
  const [result] = await reserve(running.engine, running.credential, [itemOf(requester, wanted)]);
  if (result === undefined) throw new Error('no result');
  return result;
}

/** Reserves one after the other, or waits. Returns the statuses. */
export async function askFor(requester: string, wanted: Wanted, wait: Partial<typeof WAIT> = {}): Promise<string> {
  const item = { ...itemOf(requester, wanted), ...WAIT, ...wait };
  const { result } = await reserveWith(running.engine, running.credential, [item], CALL);
  return result[0]?.status ?? '';
}

/** Reserves all of these, or waits for all of them. */
export async function askForAll(requester: string, wanted: readonly Wanted[]): Promise<string> {
  const items = wanted.map((one) => ({ requestType: 'RESERVE' as const, ...itemOf(requester, one) }));
  const options = { wait: WAIT, call: CALL };
  return (await transactWith(running.engine, running.credential, 'ALL_OR_NONE', items, options)).result.status;
}

export async function release(
  { resource, requester, releaseToken }: ReserveResult,
  condition?: Condition,
): Promise<void> {
  const item = { resource, requester, releaseToken: releaseToken ?? '', ...(condition && { condition }) };
  const [result] = await unreserve(running.engine, running.credential, [item]);
  expect(result?.status).toBe('RELINQUISHED');
}

/** Those who wait, in the order of the queue. */
export const queue = async () =>
  (await all(waiting(running.engine, running.credential))).map(({ requester }) => requester);
