/**
 * Attributes that come with a hold (docs/specification.md#attributes).
 */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../src/contract/reservations.ts';
import { holdfast, useRegistry } from '../support/instance.ts';

useRegistry();

const phones = {
  name: 'phones',
  capacity: 3,
  attributes: { hub: '10.0.0.7', Bench: 'b "1"\n\\ é🎉' },
  slotAttributes: [{ serial: 'A1' }, { serial: 'B2', bench: 'own' }],
};
const reserve = async (item: object): Promise<ReserveResult | undefined> =>
  (await holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [item])).body[0];
const transact = async (method: string, ...requests: object[]) =>
  (
    await holdfast.request<TransactionResult>('POST', '/api/v1/Reservation/transaction?pollSeconds=0', {
      method,
      requests: requests.map((one) => ({ requestType: 'RESERVE', requester: 'r', ...one })),
    })
  ).body;

const OF_SLOT_1 = { hub: '10.0.0.7', serial: 'B2', bench: 'own' };

describe('attributes of a hold', () => {
  beforeEach(() => holdfast.register(phones));

  test('are those of the resource, and over them those of the slot, without regard to case', async () => {
    const of = async (requester: string) => (await reserve({ resource: 'phones', requester }))?.attributes;
    expect([await of('a'), await of('b'), await of('c')]).toEqual([
      { ...phones.attributes, serial: 'A1' },
      OF_SLOT_1,
      phones.attributes,
    ]);
  });

  test('are in ALREADY_HAD too, as they are then', async () => {
    const item = { resource: 'phones_1', requester: 'r' };
    await reserve(item);
    expect(await reserve(item)).toMatchObject({ status: 'ALREADY_HAD', attributes: OF_SLOT_1 });
    await holdfast.register({ name: 'phones', capacity: 3, slotAttributes: [{}, { serial: 'new' }] });
    expect(await reserve(item)).toMatchObject({ attributes: { ...phones.attributes, serial: 'new' } });
  });

  test('are left out where there are none, and in refusals', async () => {
    await holdfast.register({ name: 'plain' }, { name: 'only', slotAttributes: [{}] });
    for (const item of [{ resource: 'plain' }, { resource: 'only' }, { resource: 'unregistered' }]) {
      const made = await reserve({ ...item, requester: 'r' });
      expect(made).toMatchObject({ status: 'ACQUIRED' });
      expect(made).not.toHaveProperty('attributes');
    }
    await reserve({ resource: 'phones_1', requester: 'a' });
    const refused = await reserve({ resource: 'phones_1', requester: 'b' });
    expect(refused).toMatchObject({ status: 'ALREADY_HELD' });
    expect(refused).not.toHaveProperty('attributes');
  });

  test('of several slots are those of the resource, and an array beside slots', async () => {
    await reserve({ resource: 'phones_0', requester: 'other' });
    const several = {
      ...{ slots: ['phones_1', 'phones_2'], attributes: phones.attributes },
      slotAttributes: [phones.slotAttributes[1], {}],
    };
    expect(await reserve({ resource: 'phones', requester: 'r', count: 2 })).toMatchObject(several);
    expect(await reserve({ resource: 'phones', requester: 'r', count: 2 })).toMatchObject({
      status: 'ALREADY_HAD',
      ...several,
    });
  });

  test('are those of a resource with one slot, and of its slot', async () => {
    await holdfast.register({ name: 'printer', attributes: { a: '1' }, slotAttributes: [{ b: '2' }] });
    expect((await reserve({ resource: 'printer', requester: 'r' }))?.attributes).toEqual({ a: '1', b: '2' });
  });

  test('of ancestors and blockers are not told', async () => {
    await holdfast.register(
      { name: 'rack', attributes: { a: '1' } },
      { name: 'ink', attributes: { b: '2' } },
      { name: 'board', treePath: 'rack', blocks: ['ink'], attributes: { c: '3' } },
    );
    expect((await reserve({ resource: 'rack>board', requester: 'r' }))?.attributes).toEqual({ c: '3' });
  });

  test('come with a SHARED hold', async () => {
    const item = { resource: 'phones_1', mode: 'SHARED' };
    expect((await reserve({ ...item, requester: 'a' }))?.attributes).toEqual(OF_SLOT_1);
    expect((await reserve({ ...item, requester: 'b' }))?.attributes).toEqual(OF_SLOT_1);
    expect(await reserve({ ...item, requester: 'a' })).toMatchObject({ status: 'ALREADY_HAD', attributes: OF_SLOT_1 });
  });

  test('come with a match', async () => {
    await holdfast.register({ name: 'pixel', labels: { os: 'android' }, attributes: { serial: 'P' } });
    const item = { match: { os: 'android' }, requester: 'r' };
    expect(await reserve(item)).toMatchObject({ resource: 'pixel', attributes: { serial: 'P' } });
    expect(await reserve(item)).toMatchObject({ status: 'ALREADY_HAD', attributes: { serial: 'P' } });
  });

  test('come with the items of transactions, each its own', async () => {
    for (const method of ['ALL_OR_NONE', 'AS_MANY_AS_POSSIBLE', 'FIRST']) {
      const { results } = await transact(method, { resource: 'phones_1' }, { resource: 'x' });
      expect(results[0]).toMatchObject({ attributes: OF_SLOT_1 });
      expect(results[1]).not.toHaveProperty('attributes');
      await holdfast.reset();
      await holdfast.register(phones);
    }
  });

  test('of a transaction that is rolled back are not told', async () => {
    await reserve({ resource: 'x', requester: 'other' });
    const done = await transact('ALL_OR_NONE', { resource: 'phones_1' }, { resource: 'x' });
    expect(done.status).toBe('ROLLED_BACK');
    expect(JSON.stringify(done)).not.toContain('10.0.0.7');
  });

  test('can be sent back with the result when it is released', async () => {
    const made = await reserve({ resource: 'phones', requester: 'r', count: 2 });
    expect((await holdfast.request('POST', '/api/v1/Reservation/unreserve', [made])).status).toBe(200);
  });

  test('are in the reply to a repeat with an Idempotency-Key, as they were', async () => {
    const body = [{ resource: 'phones_1', requester: 'r' }];
    const headers = { 'Idempotency-Key': 'once' };
    const call = () => holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve', body, headers);
    const first = await call();
    await holdfast.register({ name: 'phones', capacity: 3, attributes: {} });
    expect((await call()).body).toEqual(first.body);
    expect(first.body).toMatchObject([{ attributes: OF_SLOT_1 }]);
  });
});

describe('attributes of a hold that was waited for', () => {
  beforeEach(() => holdfast.register(phones));
  const wait = { requester: 'r', ttlSeconds: 60, waitSeconds: 600 };
  const release = (held: ReserveResult | undefined) =>
    holdfast.request('POST', '/api/v1/Reservation/unreserve', [held]);

  test('are in the claim', async () => {
    const held = await reserve({ resource: 'phones_1', requester: 'holder' });
    expect(await reserve({ resource: 'phones_1', ...wait })).not.toHaveProperty('attributes');
    await release(held);
    expect(await reserve({ resource: 'phones_1', ...wait })).toMatchObject({
      ...{ status: 'ACQUIRED', attributes: OF_SLOT_1 },
      waitedMs: expect.any(Number),
    });
  });

  test('are in a claim by a request that does not wait', async () => {
    const held = await reserve({ resource: 'phones_1', requester: 'holder' });
    await reserve({ resource: 'phones_1', ...wait });
    await release(held);
    expect(await reserve({ resource: 'phones_1', requester: 'r', ttlSeconds: 60 })).toMatchObject({
      ...{ status: 'ALREADY_HAD', attributes: OF_SLOT_1 },
    });
  });

  test('are in the answer of a long poll, also of a transaction', async () => {
    const held = await reserve({ resource: 'phones_1', requester: 'holder' });
    const poll = (path: string, body: object) =>
      holdfast.request<ReserveResult[] & TransactionResult>('POST', `/api/v1/Reservation/${path}?pollSeconds=30`, body);
    const alone = poll('reserve', [{ resource: 'phones_1', ...wait, requester: 'first' }]);
    await expect.poll(async () => (await holdfast.waiting()).body.length).toBe(1);
    const { waitSeconds, ...rest } = wait;
    const all = poll('transaction', {
      ...{ method: 'ALL_OR_NONE', waitSeconds },
      requests: [{ requestType: 'RESERVE', resource: 'phones_1', ...rest }],
    });
    await expect.poll(async () => (await holdfast.waiting()).body.length).toBe(2);
    await release(held);
    const [first] = (await alone).body;
    expect(first).toMatchObject({ status: 'ACQUIRED', attributes: OF_SLOT_1 });
    await release(first);
    expect((await all).body.results).toMatchObject([{ status: 'ACQUIRED', attributes: OF_SLOT_1 }]);
  });
});
