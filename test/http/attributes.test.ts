/**
 * Attributes in definitions of resources (docs/specification.md#attributes).
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { holdfast, useRegistry } from '../support/instance.ts';

useRegistry();

const phones = {
  name: 'phones',
  capacity: 3,
  attributes: { hub: '10.0.0.7', Bench: 'b "1"\n\\ é🎉' },
  slotAttributes: [{ serial: 'A1' }, { serial: 'B2', bench: 'own' }],
};
const register = (item: object) => holdfast.request('POST', '/api/v1/Resource/register', [item]);
const listed = async () => (await holdfast.definitions()).body[0];
const reserve = async (item: object): Promise<ReserveResult | undefined> =>
  (await holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [item])).body[0];

describe('attributes of a definition', () => {
  test('are stored and listed', async () => {
    const stored = { ...phones, blocks: [], treePath: null };
    expect((await holdfast.register(phones)).body).toEqual([stored]);
    expect((await holdfast.definitions()).body).toEqual([stored]);
    expect(JSON.stringify((await holdfast.tree()).body)).not.toContain('10.0.0.7');
  });

  test('stay as they are if the item has none, and are returned', async () => {
    await holdfast.register(phones);
    for (const item of [
      { name: 'phones', capacity: 3 },
      { ...phones, attributes: null, slotAttributes: null },
    ]) {
      expect((await holdfast.register(item)).body).toMatchObject([phones]);
      expect(await listed()).toMatchObject(phones);
    }
  });

  test('stay where the item has only the others', async () => {
    await holdfast.register(phones);
    const own = { attributes: { hub: 'new' } };
    expect((await holdfast.register({ name: 'phones', capacity: 3, ...own })).body).toMatchObject([
      { ...phones, ...own },
    ]);
    expect(await listed()).toMatchObject({ ...phones, ...own });
    const slots = { slotAttributes: [{}, {}, { serial: 'C3' }] };
    expect((await holdfast.register({ name: 'phones', capacity: 3, ...slots })).body).toMatchObject([
      { ...phones, ...own, ...slots },
    ]);
    expect(await listed()).toMatchObject({ ...phones, ...own, ...slots });
  });

  test('are removed by {} and []', async () => {
    await holdfast.register(phones);
    await holdfast.register({ name: 'phones', capacity: 3, attributes: {} });
    expect(await listed()).not.toHaveProperty('attributes');
    expect(await listed()).toMatchObject({ slotAttributes: phones.slotAttributes });
    expect((await holdfast.register({ name: 'phones', capacity: 3, slotAttributes: [] })).body).toEqual([
      { name: 'phones', capacity: 3, blocks: [], treePath: null },
    ]);
    expect(await listed()).toEqual({ name: 'phones', capacity: 3, blocks: [], treePath: null });
    expect(await reserve({ resource: 'phones', requester: 'r' })).not.toHaveProperty('attributes');
  });

  test('of slots beyond a smaller capacity are dropped, also if it grows again', async () => {
    await holdfast.register(phones);
    const kept = { slotAttributes: [{ serial: 'A1' }] };
    expect((await holdfast.register({ name: 'phones', capacity: 1 })).body).toMatchObject([kept]);
    expect((await holdfast.register({ name: 'phones', capacity: 3 })).body).toMatchObject([kept]);
    expect((await listed())?.slotAttributes).toEqual(kept.slotAttributes);
    expect(await reserve({ resource: 'phones_1', requester: 'r' })).toMatchObject({ attributes: phones.attributes });
  });

  test('of slots are dropped when it becomes a group', async () => {
    await holdfast.register(phones);
    await holdfast.register({ name: 'phones', group: true });
    expect(await listed()).toEqual({
      ...{ name: 'phones', capacity: null, blocks: [], treePath: null, group: true },
      attributes: phones.attributes,
    });
  });

  test('end with the definition', async () => {
    await holdfast.register(phones);
    await holdfast.delete('phones');
    await holdfast.register({ name: 'phones', capacity: 3 });
    expect(await listed()).toEqual({ name: 'phones', capacity: 3, blocks: [], treePath: null });
    expect(await reserve({ resource: 'phones', requester: 'r' })).not.toHaveProperty('attributes');
  });

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
  const keys = 'must have keys of 1 to 64 letters, digits and _ that begin with a letter';
  const full = { a: 'x'.repeat(1023), b: 'é'.repeat(511), c: '' };
  test.each([
    [{ attributes: [] }, 'attributes must be an object of texts'],
    [{ attributes: many(17) }, 'attributes must hold at most 16 attributes'],
    [{ attributes: { '': 'x' } }, `attributes ${keys}`],
    [{ attributes: { '1a': 'x' } }, `attributes ${keys}`],
    [{ attributes: { _a: 'x' } }, `attributes ${keys}`],
    [{ attributes: { 'a-b': 'x' } }, `attributes ${keys}`],
    [{ attributes: { ['k'.repeat(65)]: 'x' } }, `attributes ${keys}`],
    [{ attributes: { a: 1 } }, 'attributes.a must be a string'],
    [{ attributes: { a: 'é'.repeat(1025) } }, 'attributes.a must be at most 1024 characters long'],
    [{ attributes: { a: 'a\0b' } }, 'attributes.a must not contain the character NUL'],
    [{ attributes: { a: '\ud800' } }, 'attributes.a must be well-formed Unicode'],
    [{ attributes: { hub: 'a', Hub: 'b' } }, 'attributes must not have two keys that differ only by case'],
    [{ attributes: { ...full, d: '' } }, 'attributes must come to at most 2048 bytes'],
    [{ slotAttributes: {} }, 'slotAttributes must be an array of objects'],
    [{ slotAttributes: ['x'] }, 'slotAttributes[0] must be an object of texts'],
    [{ slotAttributes: [{ a: 1 }] }, 'slotAttributes[0].a must be a string'],
    [{ slotAttributes: [{}, {}] }, 'slotAttributes must have at most 1 entries, as many as slots'],
    [
      { capacity: null, group: true, slotAttributes: [{}] },
      'slotAttributes must have at most 0 entries, as many as slots',
    ],
    [{ capacity: 1001, slotAttributes: [{}] }, 'slotAttributes must not be given for a pool of more than 1000 slots'],
    [
      { capacity: 33, attributes: { x: '' }, slotAttributes: Array.from({ length: 32 }, () => full) },
      'slotAttributes must come to at most 65536 bytes with attributes',
    ],
  ])('%j are a 400', async (item, message) => {
    expect(await register({ name: 'phone', ...item })).toMatchObject({ status: 400, body: `[0].${message}` });
    expect((await holdfast.definitions()).body).toEqual([]);
  });

  test('may have the greatest sizes', async () => {
    const greatest = { capacity: 1000, slotAttributes: Array.from({ length: 32 }, () => full) };
    expect((await register({ name: 'phone', ...greatest })).status).toBe(200);
    const controls = Object.fromEntries(Array.from({ length: 2 }, (_, i) => [`k${i}`, '\u0001'.repeat(1000)]));
    expect((await register({ name: 'a', attributes: controls })).status).toBe(200);
    expect((await holdfast.definitions()).body).toMatchObject([{ attributes: controls }, greatest]);
  });

  test('that stay count among the bytes of those that change', async () => {
    await register({ name: 'phone', capacity: 32, slotAttributes: Array.from({ length: 32 }, () => full) });
    const rest = 'bytes, with those that stay as they are';
    const answer = await register({ name: 'phone', capacity: 32, attributes: { a: '' } });
    expect(answer).toMatchObject({ status: 400, body: `[0].attributes must come to at most 65536 ${rest}` });
    await register({ name: 'phone', capacity: 32, attributes: { a: '' }, slotAttributes: [full] });
    const slotAttributes = Array.from({ length: 32 }, () => full);
    const other = await register({ name: 'phone', capacity: 32, slotAttributes });
    expect(other).toMatchObject({ status: 400, body: `[0].slotAttributes must come to at most 65536 ${rest}` });
  });

  test('of slots keep a pool from growing beyond 1,000', async () => {
    await holdfast.register(phones);
    expect(await register({ name: 'phones', capacity: 1001 })).toMatchObject({
      status: 400,
      body: '[0].capacity must be at most 1000 for a pool with slotAttributes ([] removes them)',
    });
    expect((await register({ name: 'phones', capacity: 1001, slotAttributes: [] })).status).toBe(200);
  });
});
