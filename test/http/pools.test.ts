/**
 * Capacity pools: which slot a requester gets (docs/specification.md#plans).
 */
import { describe, expect, test } from 'vitest';
import { free, holdfast, release, reserve, useInstance } from '../support/instance.ts';

useInstance();

describe('capacity pools', () => {
  test('the free slot of the lowest index is assigned and named in acquiredSlots', async () => {
    await holdfast.register({ name: 'pool', capacity: 3 });
    const [a, b, c] = [await reserve('pool', 'a'), await reserve('pool', 'b'), await reserve('pool', 'c')];
    expect([a, b, c].map(({ acquiredSlots }) => acquiredSlots)).toEqual([
      { pool: 'pool_0' },
      { pool: 'pool_1' },
      { pool: 'pool_2' },
    ]);
    expect(await release(b)).toEqual(['pool_1']);
    expect((await reserve('pool', 'd')).acquiredSlots).toEqual({ pool: 'pool_1' });
  });

  test('with all slots taken a reserve is NOT_AVAILABLE', async () => {
    await holdfast.register({ name: 'full', capacity: 2 });
    await reserve('full', 'a');
    await reserve('full', 'b');
    expect(await reserve('full', 'c')).toMatchObject({ status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE' });
    expect(await free('full')).toBe(false);
  });

  test('a requester has one slot of it under its name: ALREADY_HAD, with the slot it got then', async () => {
    await holdfast.register({ name: 'twice', capacity: 2 });
    const first = await reserve('twice');
    expect(await reserve('twice')).toEqual({ ...first, status: 'ALREADY_HAD', explanation: 'ALREADY_HAD' });
  });

  test('a slot can be asked for by name, beside the one that is assigned', async () => {
    await holdfast.register({ name: 'named', capacity: 3 });
    expect((await reserve('named_1')).acquiredSlots).toEqual({ named: 'named_1' });
    expect((await reserve('named_1', 'bob')).status).toBe('ALREADY_HELD');
    expect((await reserve('named_1')).status).toBe('ALREADY_HAD');
    expect((await reserve('named')).acquiredSlots).toEqual({ named: 'named_0' });
    expect((await reserve('named_3')).status).toBe('NOT_VALID');
    expect((await reserve('named_01')).acquiredSlots).toBeNull(); // a plain name: no slot is called so
  });

  test('it can be released by its own name and by the slot’s', async () => {
    await holdfast.register({ name: 'either', capacity: 2 });
    const a = await reserve('either', 'a');
    const b = await reserve('either', 'b');
    expect(await release({ ...a, resource: 'either_0' })).toEqual(['either_0']);
    expect(await release(b)).toEqual(['either_1']);
  });

  test('100,000 slots: the lowest free one, though all below are taken', async () => {
    await holdfast.register({ name: 'huge', capacity: 100_000 });
    for (let from = 0; from < 1500; from += 500) {
      const items = Array.from({ length: 500 }, (_, i) => ({ resource: 'huge', requester: `r${from + i}` }));
      const { body } = await holdfast.reserve(...items);
      expect(body.every(({ status }) => status === 'ACQUIRED')).toBe(true);
    }
    expect((await reserve('huge', 'last')).acquiredSlots).toEqual({ huge: 'huge_1500' });
    expect((await reserve('huge_99999', 'end')).status).toBe('ACQUIRED');
    expect((await reserve('huge_100000', 'end')).status).toBe('NOT_VALID');
  });
});
