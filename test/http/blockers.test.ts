/**
 * Blockers: resources that a reservation acquires along (docs/specification.md#plans).
 */
import { describe, expect, test } from 'vitest';
import { free, holdfast, release, reserve, useInstance } from '../support/instance.ts';

useInstance();

describe('blockers', () => {
  test('are acquired along, under a system requester, and listed in acquiredBlockers in plan order', async () => {
    await holdfast.register({ name: 'press', blocks: ['paper', 'ink'] }, { name: 'ink', capacity: 2 });
    const taken = await reserve('press');
    expect(taken).toMatchObject({ acquiredSlots: null, acquiredBlockers: ['paper', 'ink_0'], reservedAtPath: null });
    const { body } = await holdfast.check({ resource: 'paper' }, { resource: 'ink_0' });
    expect(body.map(({ requester }) => requester)).toEqual(['system:press', 'system:press']);
    expect(await release(taken)).toEqual(['press', 'paper', 'ink_0']);
  });

  test('one that is held makes the reserve fail whole, and is named', async () => {
    await holdfast.register({ name: 'lathe', blocks: ['oil', 'chuck'] });
    const chuck = await reserve('chuck', 'bob');
    expect(await reserve('lathe')).toMatchObject({
      status: 'NOT_AVAILABLE',
      explanation: 'NOT_AVAILABLE: blocker chuck is held',
      releaseToken: null,
    });
    expect(await free('lathe')).toBe(true);
    expect(await free('oil')).toBe(true);
    await release(chuck);
    expect((await reserve('lathe')).status).toBe('ACQUIRED');
  });

  test('the caller itself is excluded by a blocker that it holds', async () => {
    await holdfast.register({ name: 'drill', blocks: ['bit'] });
    await reserve('bit', 'alice');
    expect((await reserve('drill', 'alice')).explanation).toBe('NOT_AVAILABLE: blocker bit is held');
  });

  test('are shared by all who hold the resource, and released with the last of them', async () => {
    await holdfast.register({ name: 'desk', capacity: 2, blocks: ['lamp'] });
    const a = await reserve('desk', 'a');
    const b = await reserve('desk', 'b');
    expect(await release(a)).toEqual(['desk_0']);
    expect(await free('lamp')).toBe(false);
    expect(await release(b)).toEqual(['desk_1', 'lamp']);
    expect(await free('lamp')).toBe(true);
  });

  test('two resources that declare the same one exclude each other', async () => {
    await holdfast.register({ name: 'cutA', blocks: ['blade'] }, { name: 'cutB', blocks: ['blade'] });
    const a = await reserve('cutA');
    expect((await reserve('cutB')).explanation).toBe('NOT_AVAILABLE: blocker blade is held');
    await release(a);
    expect((await reserve('cutB')).status).toBe('ACQUIRED');
  });

  test('cannot be released by a caller', async () => {
    await holdfast.register({ name: 'saw', blocks: ['guard'] });
    const { releaseToken } = await reserve('saw');
    const { body } = await holdfast.unreserve({ resource: 'guard', requester: 'alice', releaseToken });
    expect(body[0]?.status).toBe('DOESNT_OWN_RESERVATION');
    const item = { resource: 'guard', requester: 'system:saw', releaseToken };
    expect((await holdfast.request('POST', '/api/v1/Reservation/unreserve', [item])).status).toBe(400);
  });

  test('may have blockers of their own, in a circle too', async () => {
    await holdfast.register(
      { name: 'x', blocks: ['y'] },
      { name: 'y', blocks: ['z'] },
      { name: 'z', blocks: ['w', 'y'] },
    );
    // y for x, z for y, w for z; and z declares y, which the plan has already.
    const taken = await reserve('x');
    expect(taken.acquiredBlockers).toEqual(['y', 'z', 'w']);
    expect(await release(taken)).toEqual(['x', 'y', 'z', 'w']);
  });

  test('of each other exclude each other', async () => {
    await holdfast.register({ name: 'north', blocks: ['south'] }, { name: 'south', blocks: ['north'] });
    const north = await reserve('north', 'alice');
    expect(north).toMatchObject({ status: 'ACQUIRED', acquiredBlockers: ['south'] });
    expect(await reserve('south', 'bob')).toMatchObject({ status: 'ALREADY_HELD' });
    expect(await reserve('south', 'alice')).toMatchObject({ status: 'ALREADY_HELD' });
    expect(await release(north)).toEqual(['north', 'south']);
    expect(await reserve('south', 'bob')).toMatchObject({ status: 'ACQUIRED', acquiredBlockers: ['north'] });
  });

  test('may be siblings below an ancestor of capacity 1', async () => {
    await holdfast.register(
      { name: 'Left', treePath: 'Bench', blocks: ['Right'] },
      { name: 'Right', treePath: 'Bench' },
    );
    const left = await reserve('Left');
    expect(left).toMatchObject({ status: 'ACQUIRED', acquiredBlockers: ['Right'], reservedAtPath: 'Bench>Left' });
    expect(await release(left)).toEqual(['Left', 'Bench', 'Right']);
  });

  test('that live in a tree take their ancestors along', async () => {
    await holdfast.register({ name: 'Tap', treePath: 'Cellar' }, { name: 'Sink', blocks: ['Tap'] });
    const taken = await reserve('Sink');
    expect(taken.acquiredBlockers).toEqual(['Cellar', 'Tap']);
    expect((await reserve('Cellar', 'bob')).status).toBe('ALREADY_HELD');
    expect(await release(taken)).toEqual(['Sink', 'Cellar', 'Tap']);
  });
});
