/**
 * Several slots of a pool as one reservation (docs/specification.md#several-slots).
 */
import { describe, expect, test } from 'vitest';
import { free, holdfast, release, reserve, useInstance } from '../support/instance.ts';
import { watch } from '../support/watch.ts';

useInstance();

const slots = (pool: string, ...slotNumbers: number[]) => slotNumbers.map((i) => `${pool}_${i}`);

describe('a count', () => {
  test('takes that many slots as one reservation, with one token: those of the lowest numbers', async () => {
    await holdfast.register({ name: 'phones', capacity: 10 });
    const one = await reserve('phones', 'a');
    await reserve('phones_2', 'b');
    await release(one);
    const three = await reserve('phones', 'c', { count: 3, ttlSeconds: 60 });
    expect(three).toMatchObject({
      status: 'ACQUIRED',
      slots: slots('phones', 0, 1, 3),
      acquiredSlots: { phones: 'phones_0' },
    });
    const { body } = await holdfast.active('?requester=c');
    expect(body).toMatchObject([{ resource: 'phones', slots: slots('phones', 0, 1, 3) }]);
    expect(body).toHaveLength(1);
    const owners = await holdfast.check(...slots('phones', 0, 1, 3).map((resource) => ({ resource, requester: 'c' })));
    expect(owners.body.map(({ requester, heldByRequester }) => [requester, heldByRequester])).toEqual([
      ['c', true],
      ['c', true],
      ['c', true],
    ]);
    expect(new Set(owners.body.map(({ expiresAt }) => expiresAt))).toEqual(new Set([three.expiresAt]));
  });

  test('takes all of them or none', async () => {
    await holdfast.register({ name: 'scarce', capacity: 4 });
    await reserve('scarce', 'a', { count: 2 });
    expect(await reserve('scarce', 'b', { count: 3 })).toMatchObject({ status: 'NOT_AVAILABLE', releaseToken: null });
    expect(await reserve('scarce', 'b', { count: 2 })).toMatchObject({ slots: slots('scarce', 2, 3) });
    expect(await free('scarce')).toBe(false);
  });

  test('of one is what no count is', async () => {
    await holdfast.register({ name: 'single', capacity: 2 });
    const one = await reserve('single', 'a', { count: 1 });
    expect(one).toMatchObject({ status: 'ACQUIRED', acquiredSlots: { single: 'single_0' } });
    expect(one).not.toHaveProperty('slots');
    expect(await reserve('plain', 'a', { count: 1 })).toMatchObject({ status: 'ACQUIRED' });
  });

  test('can be as large as the pool, and takes its last slot', async () => {
    await holdfast.register({ name: 'whole', capacity: 500 });
    const all = await reserve('whole', 'a', { count: 500 });
    expect(all.slots).toHaveLength(500);
    expect(await free('whole')).toBe(false);
    expect(await release(all)).toHaveLength(500);
    expect(await free('whole')).toBe(true);
  });
});

describe('a count is only for a pool by its logical name', () => {
  test('a slot’s own name, a resource of capacity 1 and a count above the capacity are NOT_VALID', async () => {
    await holdfast.register({ name: 'three', capacity: 3 }, { name: 'printer' });
    expect(await reserve('three_1', 'a', { count: 2 })).toMatchObject({
      status: 'NOT_VALID',
      explanation: 'NOT_VALID: three_1 is one slot; count needs the name of its pool',
    });
    for (const name of ['printer', 'unregistered'])
      expect(await reserve(name, 'a', { count: 2 })).toMatchObject({
        status: 'NOT_VALID',
        explanation: `NOT_VALID: ${name} has 1 slot`,
      });
    expect(await reserve('three', 'a', { count: 4 })).toMatchObject({
      status: 'NOT_VALID',
      explanation: 'NOT_VALID: three has 3 slots',
    });
  });

  test('it may be named by its path', async () => {
    await holdfast.register({ name: 'leaf', capacity: 3, treePath: 'root' });
    expect(await reserve('root>leaf', 'a', { count: 2 })).toMatchObject({ slots: slots('leaf', 0, 1) });
  });
});

describe('several slots in a tree', () => {
  test('ancestors take one slot for the requester, and blockers are taken once', async () => {
    await holdfast.register(
      { name: 'rack', capacity: 2 },
      { name: 'gpu', capacity: 4, treePath: 'rack', blocks: ['fan', 'pump'] },
    );
    const result = await reserve('gpu', 'a', { count: 3 });
    expect(result).toMatchObject({
      acquiredSlots: { rack: 'rack_0', gpu: 'gpu_0' },
      acquiredBlockers: ['fan', 'pump'],
      reservedAtPath: 'rack>gpu',
      slots: slots('gpu', 0, 1, 2),
    });
    expect(await release(result)).toEqual(['gpu_0', 'rack_0', 'gpu_1', 'gpu_2', 'fan', 'pump']);
  });

  test('a slot that the requester was assigned for a resource below counts as one of them', async () => {
    await holdfast.register({ name: 'bay', capacity: 4 }, { name: 'drive', treePath: 'bay' });
    await reserve('bay_0', 'b');
    const drive = await reserve('drive', 'a');
    expect(drive.acquiredSlots).toEqual({ bay: 'bay_1' });
    await reserve('bay_2', 'b');
    await release(await reserve('bay_0', 'b'));
    const three = await reserve('bay', 'a', { count: 3 });
    expect(three).toMatchObject({ slots: slots('bay', 0, 1, 3), acquiredSlots: { bay: 'bay_0' } });
    expect(await release(three)).toEqual(slots('bay', 0, 3));
    expect(await release(drive)).toEqual(['drive', 'bay_1']);
  });
});

describe('a reservation of several slots', () => {
  test.each(['lab', 'lab_0', 'lab_1', 'lab_2'])('is released as a whole by the name %s', async (resource) => {
    const requester = `by ${resource}`;
    await holdfast.register({ name: 'lab', capacity: 3 });
    const held = await reserve('lab', requester, { count: 3 });
    expect(await release({ ...held, resource })).toEqual(slots('lab', 0, 1, 2));
    expect((await reserve('lab', 'next', { count: 3 })).status).toBe('ACQUIRED');
    await release({ ...(await reserve('lab', 'next')), resource: 'lab_1' });
  });

  test('cannot be released in part, nor by somebody else', async () => {
    await holdfast.register({ name: 'kept', capacity: 3 });
    await reserve('kept', 'a', { count: 2 });
    const { status, body } = await holdfast.unreserve(
      { resource: 'kept_1', requester: 'a', releaseToken: null },
      { resource: 'kept_1', requester: 'b', releaseToken: null },
    );
    expect([status, body.map(({ explanation }) => explanation)]).toEqual([
      403,
      ['INVALID_RELEASE_TOKEN', 'DOESNT_OWN_RESERVATION'],
    ]);
  });

  test('asked for again with another count is ALREADY_HAD, with what is held', async () => {
    await holdfast.register({ name: 'again', capacity: 5 });
    const held = await reserve('again', 'a', { count: 2 });
    for (const more of [{ count: 4 }, { count: 1 }, {}])
      expect(await reserve('again', 'a', more)).toEqual({
        ...held,
        status: 'ALREADY_HAD',
        explanation: 'ALREADY_HAD',
      });
    for (const slot of held.slots ?? [])
      expect(await reserve(slot, 'a')).toMatchObject({ status: 'ALREADY_HAD', slots: held.slots });
    expect(await reserve('again_2', 'a')).toMatchObject({ status: 'ACQUIRED', acquiredSlots: { again: 'again_2' } });
  });

  test('renews and expires as a whole', async () => {
    await holdfast.register({ name: 'leased', capacity: 3 });
    const held = await reserve('leased', 'a', { count: 2, ttlSeconds: 60 });
    const renewed = await holdfast.renew({
      resource: 'leased_1',
      requester: 'a',
      releaseToken: held.releaseToken,
      ttlSeconds: 1,
    });
    expect(renewed.body).toMatchObject([{ status: 'RENEWED' }]);
    await expect.poll(async () => (await reserve('leased', 'b', { count: 3 })).status).toBe('ACQUIRED');
  });

  test('is told of in events with all its slots', async () => {
    await holdfast.register({ name: 'told', capacity: 3 });
    const stream = await watch(holdfast);
    const held = await reserve('told', 'a', { count: 2 });
    await release(held);
    await holdfast.transaction('ALL_OR_NONE', {
      requestType: 'RESERVE',
      resource: 'told',
      requester: 'b',
      count: 3,
    });
    const events = await stream.count(3);
    expect(events[0]).toMatchObject({ type: 'RESERVED', acquiredSlots: { told: 'told_0' }, slots: held.slots });
    expect(events[1]).not.toHaveProperty('slots');
    expect(events[2]).toMatchObject({ changes: [{ explanation: 'ACQUIRED', slots: slots('told', 0, 1, 2) }] });
    stream.close();
  });
});

describe('in a transaction', () => {
  const item = (requester: string, count: number) => ({
    requestType: 'RESERVE' as const,
    resource: 'tx',
    requester,
    count,
  });

  test('each method takes the slots of an item all or none', async () => {
    await holdfast.register({ name: 'tx', capacity: 5 });
    const run = async (method: string, ...requests: ReturnType<typeof item>[]) =>
      (await holdfast.transaction(method, ...requests)).body;
    const statuses = async (...args: Parameters<typeof run>) => {
      const { status, results } = await run(...args);
      const end = results.map((one) => ('slots' in one ? one.slots?.length : one.explanation));
      await holdfast.reset();
      return [status, ...end];
    };
    expect(await statuses('ALL_OR_NONE', item('a', 3), item('b', 3))).toEqual([
      'ROLLED_BACK',
      'ROLLED_BACK',
      'NOT_AVAILABLE',
    ]);
    expect(await statuses('ALL_OR_NONE', item('a', 3), item('b', 2))).toEqual(['APPLIED', 3, 2]);
    expect(await statuses('AS_MANY_AS_POSSIBLE', item('a', 3), item('b', 3), item('c', 2))).toEqual([
      'APPLIED',
      3,
      'NOT_AVAILABLE',
      2,
    ]);
    expect(await statuses('FIRST', item('a', 6), item('b', 3), item('c', 2))).toEqual([
      'APPLIED',
      'NOT_VALID: tx has 5 slots',
      3,
      'SKIPPED',
    ]);
  });
});

describe('the size of a request', () => {
  const tooMany = 'must leave at most 500 slots in the request';

  test.each([0, 501, 1.5, '2', null])('a count of %j is refused', async (count) => {
    const { status, body } = await holdfast.request('POST', '/api/v1/Reservation/reserve', [
      { resource: 'a', requester: 'a' },
      { resource: 'a', requester: 'a', count },
    ]);
    expect([status, body]).toEqual([400, '[1].count must be an integer from 1 to 500']);
  });

  test('its items and their counts come to 500 together at most', async () => {
    await holdfast.register({ name: 'big', capacity: 600 });
    const plain = { resource: 'big', requester: 'a' };
    const { status, body } = await holdfast.request('POST', '/api/v1/Reservation/reserve', [
      { ...plain, count: 499 },
      { resource: 'x', requester: 'a' },
      { ...plain, requester: 'b', count: 2 },
    ]);
    expect([status, body]).toEqual([400, `[2].count ${tooMany}`]);
    const reserveItem = { requestType: 'RESERVE', ...plain, count: 500 };
    const whole = await holdfast.request('POST', '/api/v1/Reservation/transaction', {
      method: 'ALL_OR_NONE',
      requests: [{ requestType: 'UNRESERVE', ...plain }, reserveItem],
    });
    expect([whole.status, whole.body]).toEqual([400, `requests[1].count ${tooMany}`]);
    const fits = await holdfast.reserve({ ...plain, count: 499 }, { resource: 'x', requester: 'a' });
    expect(fits.body.map((one) => one.status)).toEqual(['ACQUIRED', 'ACQUIRED']);
  });
});
