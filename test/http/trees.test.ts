/**
 * Trees: a reservation takes a slot of each ancestor (docs/specification.md#plans).
 */
import { describe, expect, test } from 'vitest';
import { free, holdfast, release, reserve, useInstance } from '../support/instance.ts';

useInstance();

describe('trees', () => {
  test('a leaf takes every ancestor, and its result has its path', async () => {
    await holdfast.register({ name: 'Leaf', treePath: 'Root>Branch' });
    const taken = await reserve('Leaf');
    expect(taken).toMatchObject({ status: 'ACQUIRED', reservedAtPath: 'Root>Branch>Leaf', acquiredSlots: null });
    for (const name of ['Root', 'Branch', 'Leaf']) expect(await free(name)).toBe(false);
    expect(await release(taken)).toEqual(['Leaf', 'Root', 'Branch']);
  });

  test('an ancestor at capacity makes the reserve fail whole, and is named', async () => {
    await holdfast.register(
      { name: 'House', capacity: 5 },
      { name: 'Floor1', treePath: 'House' },
      { name: 'Room1', treePath: 'House>Floor1' },
      { name: 'Room2', treePath: 'House>Floor1' },
    );
    await reserve('Room1', 'a');
    expect(await reserve('Room2', 'b')).toMatchObject({
      status: 'NOT_AVAILABLE',
      explanation: 'NOT_AVAILABLE: ancestor Floor1 is at capacity',
    });
    expect((await holdfast.tree()).body.find(({ name }) => name === 'House')).toMatchObject({ available: 4 });
  });

  test('an ancestor gives one slot to a requester, however many of its leaves it holds', async () => {
    await holdfast.register(
      { name: 'Rack', capacity: 2 },
      ...[1, 2, 3].map((i) => ({ name: `Unit${i}`, treePath: 'Rack' })),
    );
    const one = await reserve('Unit1', 'a');
    expect(one.acquiredSlots).toEqual({ Rack: 'Rack_0' });
    const two = await reserve('Unit2', 'a');
    expect(two.acquiredSlots).toEqual({ Rack: 'Rack_0' });
    expect((await reserve('Unit3', 'b')).acquiredSlots).toEqual({ Rack: 'Rack_1' });
    expect(await release(one)).toEqual(['Unit1']);
    expect(await release(two)).toEqual(['Unit2', 'Rack_0']);
  });

  test('a pool of leaves under a pool: acquiredSlots names both slots', async () => {
    await holdfast.register({ name: 'Hall', capacity: 2 }, { name: 'Seat', capacity: 3, treePath: 'Hall' });
    expect((await reserve('Seat', 'a')).acquiredSlots).toEqual({ Hall: 'Hall_0', Seat: 'Seat_0' });
    expect((await reserve('Seat_2', 'b')).acquiredSlots).toEqual({ Hall: 'Hall_1', Seat: 'Seat_2' });
    expect((await reserve('Seat', 'c')).explanation).toBe('NOT_AVAILABLE: ancestor Hall is at capacity');
  });

  test('a requester that holds an ancestor only through a leaf needs a token of its own to release it, and gets it on the same slot', async () => {
    await holdfast.register({ name: 'Nut', treePath: 'Bag' });
    const leaf = await reserve('Nut');
    const { body } = await holdfast.unreserve({ ...leaf, resource: 'Bag' });
    expect(body[0]?.status).toBe('DOESNT_OWN_RESERVATION');
    const bag = await reserve('Bag');
    expect(bag.status).toBe('ACQUIRED');
    expect(bag.releaseToken).not.toBe(leaf.releaseToken);
    expect(await release(leaf)).toEqual(['Nut']);
    expect(await release(bag)).toEqual(['Bag']);
  });

  test('a resource can be asked for by its full path, and by no other', async () => {
    await holdfast.register({ name: 'Cup', treePath: 'Shelf>Box' });
    expect((await reserve('Box>Cup')).status).toBe('NOT_VALID');
    expect((await reserve('Shelf>Cup')).status).toBe('NOT_VALID');
    const taken = await reserve('Shelf>Box>Cup');
    expect(taken).toMatchObject({ status: 'ACQUIRED', resource: 'Shelf>Box>Cup', reservedAtPath: 'Shelf>Box>Cup' });
    expect((await reserve('Cup')).status).toBe('ALREADY_HAD');
    expect(await release(taken)).toEqual(['Cup', 'Shelf', 'Box']);
    expect((await reserve('no>such>path')).reservedAtPath).toBeNull(); // its last segment is not registered: a plain name
  });

  test('the blockers of an ancestor come along with its leaves', async () => {
    await holdfast.register({ name: 'Yard', blocks: ['Gate'] }, { name: 'Bay', treePath: 'Yard' });
    expect((await reserve('Bay')).acquiredBlockers).toEqual(['Gate']);
  });
});
