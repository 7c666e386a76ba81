/**
 * Plans: how they are recorded, the order in which they fail, and how large they may be
 * (docs/specification.md#plans).
 */
import { describe, expect, test } from 'vitest';
import { free, holdfast, release, reserve, useInstance } from '../support/instance.ts';

useInstance();

describe('a plan is recorded with the reservation that took it', () => {
  test('blockers declared later are not released with it, those declared no more are', async () => {
    await holdfast.register({ name: 'm1', blocks: ['old'] });
    const taken = await reserve('m1');
    await holdfast.register({ name: 'm1', blocks: ['new'] });
    await reserve('new', 'bob');
    expect(await release(taken)).toEqual(['m1', 'old']);
    expect(await free('new')).toBe(false);
  });

  test('a resource that becomes a pool: who has it keeps it, and it counts', async () => {
    const plain = await reserve('grow', 'a');
    await holdfast.register({ name: 'grow', capacity: 2 });
    expect((await reserve('grow', 'a')).status).toBe('ALREADY_HAD');
    expect((await reserve('grow', 'b')).acquiredSlots).toEqual({ grow: 'grow_0' });
    expect((await reserve('grow', 'c')).status).toBe('NOT_AVAILABLE');
    expect(await release(plain)).toEqual(['grow']);
    expect((await reserve('grow', 'c')).acquiredSlots).toEqual({ grow: 'grow_1' });
  });

  test('a pool that shrinks: its slots stay held, and none is handed out before they are fewer than its capacity', async () => {
    await holdfast.register({ name: 'shrink', capacity: 3 });
    const [a, b, c] = [await reserve('shrink', 'a'), await reserve('shrink', 'b'), await reserve('shrink', 'c')];
    await holdfast.register({ name: 'shrink', capacity: 1 });
    expect((await reserve('shrink', 'd')).status).toBe('ALREADY_HELD');
    expect(await release(a)).toEqual(['shrink_0']);
    expect(await release({ ...b, resource: 'shrink_1' })).toEqual(['shrink_1']);
    expect(await free('shrink')).toBe(false);
    expect(await release(c)).toEqual(['shrink_2']);
    expect((await reserve('shrink', 'd')).acquiredSlots).toBeNull();
  });

  test('a plain name that becomes a slot of a pool: it is that slot, held', async () => {
    const plain = await reserve('bed_1', 'a');
    await holdfast.register({ name: 'bed', capacity: 2 });
    expect((await reserve('bed', 'b')).acquiredSlots).toEqual({ bed: 'bed_0' });
    expect((await reserve('bed', 'c')).status).toBe('NOT_AVAILABLE');
    expect(await release(plain)).toEqual(['bed_1']);
    expect((await reserve('bed', 'c')).acquiredSlots).toEqual({ bed: 'bed_1' });
  });

  test('a leaf that moves: what it was reserved by still releases it, with the ancestors it took', async () => {
    await holdfast.register({ name: 'Mover', treePath: 'Here' });
    const taken = await reserve('Here>Mover');
    await holdfast.register({ name: 'Mover', treePath: 'There' });
    expect(await release(taken)).toEqual(['Mover', 'Here']);
    expect(await free('There')).toBe(true);
  });
});

describe('ALREADY_HAD', () => {
  test('gives the particulars that the reservation got then; lease and type stay as they were', async () => {
    await holdfast.register({ name: 'Lot', capacity: 2, treePath: 'Park', blocks: ['Bar'] });
    const first = await reserve('Lot', 'a', { ttlSeconds: 60 });
    const again = await reserve('Lot', 'a', { ttlSeconds: 600, resourceType: 'Other' });
    expect(again).toEqual({ ...first, status: 'ALREADY_HAD', explanation: 'ALREADY_HAD' });
    const { body } = await holdfast.active('?resource=Lot');
    expect(body).toMatchObject([
      {
        resource: 'Lot',
        resourceType: 'UserDefined',
        acquiredSlots: { Lot: 'Lot_0' },
        acquiredBlockers: ['Bar'],
        reservedAtPath: 'Park>Lot',
        fencingToken: first.fencingToken,
      },
    ]);
  });
});

describe('of several reasons the first in plan order counts', () => {
  test('an ancestor before the resource itself, that before a blocker', async () => {
    await holdfast.register({ name: 'Top' }, { name: 'Low', treePath: 'Top', blocks: ['Side'] });
    const top = await reserve('Top', 'a');
    await reserve('Side', 'a');
    expect((await reserve('Low', 'b')).explanation).toBe('NOT_AVAILABLE: ancestor Top is at capacity');
    await release(top);
    expect((await reserve('Low', 'b')).explanation).toBe('NOT_AVAILABLE: blocker Side is held');
  });
});

describe('a plan of more than 500 slots, or 8 KiB of names', () => {
  test('is NOT_VALID, and says so', async () => {
    await holdfast.register(
      { name: 'n0', blocks: Array.from({ length: 64 }, (_, i) => `n0-${i}`) },
      ...Array.from({ length: 64 }, (_, i) => ({
        name: `n0-${i}`,
        blocks: Array.from({ length: 7 }, (_, j) => `n0-${i}-${j}`),
      })),
    );
    expect(await reserve('n0')).toMatchObject({
      status: 'NOT_VALID',
      explanation: 'NOT_VALID: it would take more than 500 slots, or more than 8192 bytes of names',
    });
    const long = (name: string) => Array.from({ length: 12 }, (_, i) => `${name}-${i}`.padEnd(250, 'é'));
    await holdfast.register(
      { name: 'm', blocks: ['m1', 'm2', 'm3'] },
      ...['m1', 'm2', 'm3'].map((name) => ({ name, blocks: long(name) })),
    );
    expect(await reserve('m')).toMatchObject({ status: 'NOT_VALID' });
  });
});

describe('a request that would take more work than one request may', () => {
  const wide = Array.from({ length: 90 }, (_, i) => ({
    name: `wide${i}`,
    blocks: Array.from({ length: 64 }, (_, j) => `wide${i} along ${j}`),
  }));
  const items = wide.map(({ name }) => ({ resource: name, requester: 'a' }));

  test('to reserve: 400 for all of it, and nothing is done', async () => {
    await holdfast.register(...wide);
    const { status, body } = await holdfast.reserve(...items);
    expect(status).toBe(400);
    const message = 'takes the request over the work that one request may cause: send fewer items at a time';
    expect(body).toMatch(new RegExp(`^\\[\\d+\\]\\.resource ${message}$`));
    const requests = items.map((item) => ({ requestType: 'RESERVE' as const, ...item }));
    expect(await holdfast.transaction('AS_MANY_AS_POSSIBLE', ...requests)).toMatchObject({
      status: 400,
      body: expect.stringMatching(new RegExp(`^requests\\[\\d+\\]\\.resource ${message}$`)),
    });
    expect(await free('wide0')).toBe(true);
    expect((await holdfast.active('?resource=wide0')).body).toEqual([]);
  });

  test('to release: 400 likewise', async () => {
    const held = [];
    for (let i = 0; i < items.length; i += 5) held.push(...(await holdfast.reserve(...items.slice(i, i + 5))).body);
    expect(held.every(({ status }) => status === 'ACQUIRED')).toBe(true);
    expect((await holdfast.unreserve(...held)).status).toBe(400);
    expect(await free('wide0')).toBe(false);
    const { body } = await holdfast.unreserve(...held.slice(0, 5));
    expect(body[0]?.released).toHaveLength(65);
  });
});
