/**
 * Labels of resources (docs/specification.md#labels).
 */
import { describe, expect, test } from 'vitest';
import { holdfast, useRegistry } from '../support/instance.ts';

useRegistry();

const phone = { name: 'phone', labels: { os: 'android', size: 'xl' } };
const found = async (label: string) =>
  (await holdfast.definitions(`?${new URLSearchParams({ label })}`)).body.map(({ name }) => name);
const register = (item: object) => holdfast.request('POST', '/api/v1/Resource/register', [item]);

describe('labels', () => {
  test('are stored, listed and shown in the tree', async () => {
    const stored = { ...phone, capacity: 1, blocks: [], treePath: null };
    expect((await holdfast.register(phone)).body).toEqual([stored]);
    expect((await holdfast.definitions()).body).toEqual([stored]);
    expect((await holdfast.tree()).body).toMatchObject([{ name: 'phone', labels: phone.labels }]);
  });

  test('are left out of a resource that has none', async () => {
    await holdfast.register({ name: 'phone', labels: {} });
    expect((await holdfast.definitions()).body).toEqual([{ name: 'phone', capacity: 1, blocks: [], treePath: null }]);
  });

  test('stay as they are if the item has none, and are returned', async () => {
    await holdfast.register(phone);
    expect((await holdfast.register({ name: 'phone', capacity: 3 })).body).toMatchObject([{ ...phone, capacity: 3 }]);
    expect((await holdfast.definitions()).body).toMatchObject([{ ...phone, capacity: 3 }]);
  });

  test('are replaced together', async () => {
    await holdfast.register(phone);
    await holdfast.register({ name: 'phone', labels: { os: 'ios' } });
    expect((await holdfast.definitions()).body).toMatchObject([{ labels: { os: 'ios' } }]);
    expect([await found('os=android'), await found('size=xl'), await found('os=ios')]).toEqual([[], [], ['phone']]);
  });

  test('are removed by {}', async () => {
    await holdfast.register(phone);
    expect((await holdfast.register({ name: 'phone', labels: {} })).body[0]?.labels).toBeUndefined();
    expect((await holdfast.definitions()).body[0]?.labels).toBeUndefined();
    expect(await found('os=android')).toEqual([]);
  });

  test('may be those of a prototype, and empty', async () => {
    await register(JSON.parse('{"name": "phone", "labels": {"__proto__": "x", "constructor": ""}}'));
    const [one] = (await holdfast.definitions()).body;
    expect(JSON.stringify(one?.labels)).toBe('{"__proto__":"x","constructor":""}');
    expect([await found('__proto__=x'), await found('constructor=')]).toEqual([['phone'], ['phone']]);
  });

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
  const keys = 'must have keys of 1 to 64 letters, digits and the characters . _ / -';
  test.each([
    [[], 'labels must be an object of texts'],
    ['os', 'labels must be an object of texts'],
    [many(17), 'labels must hold at most 16 labels'],
    [{ '': 'x' }, `labels ${keys}`],
    [{ 'a b': 'x' }, `labels ${keys}`],
    [{ 'a=b': 'x' }, `labels ${keys}`],
    [{ ['k'.repeat(65)]: 'x' }, `labels ${keys}`],
    [{ os: 1 }, 'labels.os must be a string'],
    [{ os: 'é'.repeat(129) }, 'labels.os must be at most 128 characters long'],
    [{ os: 'a\nb' }, 'labels.os must not contain control characters'],
    [{ os: '\ud800' }, 'labels.os must be well-formed Unicode'],
  ])('%j are a 400', async (labels, message) => {
    expect(await register({ name: 'phone', labels })).toMatchObject({ status: 400, body: `[0].${message}` });
  });

  test('may have the greatest sizes', async () => {
    const labels = { ...many(15), ['A9._/-'.padEnd(64, 'z')]: '😀'.repeat(128) };
    expect((await register({ name: 'phone', labels })).status).toBe(200);
    expect((await holdfast.definitions()).body).toMatchObject([{ labels }]);
  });
});

describe('definitions?label=', () => {
  test('lists those that have the label, sorted by name', async () => {
    const os = (name: string, value: string) => ({ name, labels: { os: value } });
    await holdfast.register(os('b', 'android'), os('a', 'android'), os('c', 'androids'), os('d', 'ios'), { name: 'e' });
    expect(await found('os=android')).toEqual(['a', 'b']);
    expect(await found('os=windows')).toEqual([]);
  });

  test('finds a value that contains "=" and other characters', async () => {
    await holdfast.register({ name: 'a', labels: { url: 'x?a=b&c=é' } });
    expect(await found('url=x?a=b&c=é')).toEqual(['a']);
  });

  test('reads all pages', async () => {
    // Below parents, which are deleted in a call each.
    for (let from = 0; from < 900; from += 300)
      await holdfast.register(
        ...Array.from({ length: 300 }, (_, i) => ({
          name: `${1000 + from + i}`,
          treePath: `All${from}`,
          labels: { os: 'android' },
        })),
      );
    expect(await found('os=android')).toEqual(Array.from({ length: 900 }, (_, i) => `${1000 + i}`));
  });

  test('loses what is deleted', async () => {
    await holdfast.register(phone, { name: 'x', labels: { os: 'android' } });
    await holdfast.delete('phone');
    expect(await found('os=android')).toEqual(['x']);
  });

  test.each(['os', '=x', 'a b=c'])('%s is a 400', async (label) => {
    const { status, body } = await holdfast.definitions(`?${new URLSearchParams({ label })}`);
    expect({ status, body }).toEqual({ status: 400, body: 'label must be <key>=<value>' });
  });
});
