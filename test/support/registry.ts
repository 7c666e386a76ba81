/**
 * An instance for the tests of definitions: each test begins with none. `useRegistry` starts and stops it.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Instance, startInstance } from './service.ts';

export let holdfast: Instance;

/** To be called at the top of a test file. */
export function useRegistry(): void {
  beforeAll(async () => {
    holdfast = await startInstance();
  });
  afterAll(() => holdfast.stop());
  beforeEach(async () => {
    await holdfast.reset();
    for (const { name, treePath } of (await holdfast.definitions()).body) {
      if (treePath === null) await holdfast.delete(name, '?cascade=true');
    }
  });
}

export const plain = { capacity: 1, blocks: [], treePath: null };
export const names = async () => (await holdfast.definitions()).body.map(({ name }) => name);
