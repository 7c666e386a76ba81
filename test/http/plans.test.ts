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

/**
 * Capacity pools: which slot a requester gets (docs/specification.md#plans).
 */

describe('capacity pools', () => {
  test('the free slot of the lowest number is assigned and named in acquiredSlots', async () => {
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

  test('a slot can be asked for by name, beside the one that is assigned', async () => {
    await holdfast.register({ name: 'named', capacity: 3 });
    expect((await reserve('named_1')).acquiredSlots).toEqual({ named: 'named_1' });
    expect((await reserve('named_1', 'bob')).status).toBe('ALREADY_HELD');
    expect((await reserve('named_1')).status).toBe('ALREADY_HAD');
    expect((await reserve('named')).acquiredSlots).toEqual({ named: 'named_0' });
    expect((await reserve('named_3')).status).toBe('NOT_VALID');
    expect((await reserve('named_01')).acquiredSlots).toBeNull(); // a plain name: no slot is called so
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

/**
 * Trees: a reservation takes a slot of each ancestor (docs/specification.md#plans).
 */

describe('trees', () => {
  test('a leaf takes every ancestor, and its result has its path', async () => {
    await holdfast.register({ name: 'Leaf', treePath: 'Root>Branch' });
    const taken = await reserve('Leaf');
    expect(taken).toMatchObject({ status: 'ACQUIRED', reservedAtPath: 'Root>Branch>Leaf', acquiredSlots: null });
    for (const name of ['Root', 'Branch', 'Leaf']) expect(await free(name)).toBe(false);
    expect(await release(taken)).toEqual(['Leaf', 'Root', 'Branch']);
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
});

/**
 * Blockers: resources that a reservation acquires along (docs/specification.md#plans).
 */

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

  test('cannot be released by a caller', async () => {
    await holdfast.register({ name: 'saw', blocks: ['guard'] });
    const { releaseToken } = await reserve('saw');
    const { body } = await holdfast.unreserve({ resource: 'guard', requester: 'alice', releaseToken });
    expect(body[0]?.status).toBe('DOESNT_OWN_RESERVATION');
    const item = { resource: 'guard', requester: 'system:saw', releaseToken };
    expect((await holdfast.request('POST', '/api/v1/Reservation/unreserve', [item])).status).toBe(400);
  });
});
