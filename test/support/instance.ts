/**
 * An instance for the tests of one file, and calls of it. `useInstance` starts and stops it.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ReserveItem, ReserveResult } from '../../src/contract/reservations.ts';
import { type Instance, type InstanceOptions, makeConfiguredKey, makeTenant, startInstance } from './service.ts';

export let holdfast: Instance;

/** To be called at the top of a test file. */
export function useInstance(options: InstanceOptions = {}): void {
  beforeAll(async () => {
    holdfast = await startInstance(options);
  });
  afterAll(() => holdfast.stop());
}

export let one: Instance;
export let two: Instance;

/** Starts two instances of a tenant, without a database. Returns its key, as both have it. */
export function useTwo() {
  const keys = [makeConfiguredKey(makeTenant())];
  beforeAll(async () => {
    [one, two] = await Promise.all([startInstance({ keys }), startInstance({ keys })]);
  });
  afterAll(() => Promise.all([one.stop(), two.stop()]));
  return keys;
}

/** One instance for the tests of definitions: each test begins with none. */
export function useRegistry(): void {
  useInstance();
  beforeEach(async () => {
    await holdfast.reset();
    for (const { name, treePath } of (await holdfast.definitions()).body) {
      if (treePath === null) await holdfast.delete(name, '?cascade=true');
    }
  });
}

export const plain = { capacity: 1, blocks: [], treePath: null };
export const names = async () => (await holdfast.definitions()).body.map(({ name }) => name);

/** Reserves one resource. */
export const reserve = async (resource: string, requester = 'alice', more: Partial<ReserveItem> = {}) => {
  const { body } = await holdfast.reserve({ resource, requester, ...more });
  const [result] = body;
  if (result === undefined) throw new Error('no result');
  return result;
};
/** Releases a reservation. Returns the slots that became free. */
export const release = async ({ resource, requester, releaseToken }: ReserveResult) => {
  const { body } = await holdfast.unreserve({ resource, requester, releaseToken });
  return body[0]?.released;
};
export const free = async (resource: string) => (await holdfast.available(resource)).body;
