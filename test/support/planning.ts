/**
 * An instance for the tests of plans, and calls of it for one resource each. `usePlanning` starts and stops it.
 */
import { afterAll, beforeAll } from 'vitest';
import type { ReserveItem, ReserveResult } from '../../src/contract/reservations.ts';
import { type Instance, startInstance } from './service.ts';

export let holdfast: Instance;

/** To be called at the top of a test file. */
export function usePlanning(): void {
  beforeAll(async () => {
    holdfast = await startInstance();
  });
  afterAll(() => holdfast.stop());
}

export const reserve = async (resource: string, requester = 'alice', more: Partial<ReserveItem> = {}) => {
  const { body } = await holdfast.reserve({ resource, requester, ...more });
  const [result] = body;
  if (result === undefined) throw new Error('no result');
  return result;
};
export const release = async ({ resource, requester, releaseToken }: ReserveResult) => {
  const { body } = await holdfast.unreserve({ resource, requester, releaseToken });
  return body[0]?.released;
};
export const free = async (resource: string) => (await holdfast.available(resource)).body;
