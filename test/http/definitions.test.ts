/**
 * Definitions as they are listed, shown as a tree, looked up and deleted (docs/specification.md#registration).
 */
import { describe, expect, test } from 'vitest';
import { holdfast, names, plain, useRegistry } from '../support/instance.ts';

useRegistry();

describe('definitions', () => {
  test('lists all, sorted by name, optional fields always present', async () => {
    await holdfast.register({ name: 'z' }, { name: 'é' }, { name: 'a', treePath: 'z' }, { name: 'Z' }, { name: '🎉' });
    expect((await holdfast.definitions()).body).toEqual([
      { ...plain, name: 'Z' },
      { ...plain, name: 'a', treePath: 'z' },
      { ...plain, name: 'z' },
      { ...plain, name: 'é' },
      { ...plain, name: '🎉' },
    ]);
  });

  test('of more than a page', async () => {
    const below = (parent: string, from: number) =>
      Array.from({ length: 450 }, (_, i) => ({ name: `n${String(from + i).padStart(5, '0')}`, treePath: parent }));
    const [first, second] = [below('All', 0), below('Both', 450)];
    await holdfast.register(...first);
    await holdfast.register(...second);
    const { body } = await holdfast.definitions();
    expect(body.map(({ name }) => name)).toEqual(['All', 'Both', ...[...first, ...second].map(({ name }) => name)]);
    expect((await holdfast.tree()).body.map(({ children }) => children.length)).toEqual([450, 450]);
    expect((await holdfast.delete('All', '?cascade=true')).body.deleted).toHaveLength(451);
  });
});

describe('500 resources or more below one', () => {
  test('are neither moved further down nor deleted at once; they can be moved up', async () => {
    const many = Array.from({ length: 510 }, (_, i) => ({ name: `m${i}`, treePath: 'Old>Big' }));
    for (let from = 0; from < many.length; from += 500) await holdfast.register(...many.slice(from, from + 500));
    expect(await holdfast.register({ name: 'Big', treePath: 'X>Y' })).toMatchObject({
      status: 400,
      body: '[0].treePath must not move more than 500 resources further down at once',
    });
    expect((await holdfast.delete('Big', '?cascade=true')).body).toBe(
      'Big has 500 or more resources below it: delete parts of it first',
    );
    expect((await holdfast.register({ name: 'Big' })).status).toBe(200);
    expect((await holdfast.tree()).body.find(({ name }) => name === 'Big')?.children).toHaveLength(510);
    for (const { name } of many.slice(0, 11)) await holdfast.delete(name);
    expect((await holdfast.delete('Big', '?cascade=true')).body.deleted).toHaveLength(500);
  });
});

describe('tree', () => {
  test('has every definition in it once, children sorted by name, with what is free', async () => {
    await holdfast.register(
      { name: 'Root', capacity: 4 },
      { name: 'b', capacity: 2, treePath: 'Root' },
      { name: 'a', treePath: 'Root' },
      { name: 'leaf', treePath: 'Root>b' },
      { name: 'Alone', capacity: 3 },
    );
    await holdfast.reserve({ resource: 'leaf', requester: 'r' }, { resource: 'Alone', requester: 'r' });
    expect((await holdfast.tree()).body).toEqual([
      { name: 'Alone', path: 'Alone', capacity: 3, available: 2, waiting: 0, children: [] },
      {
        name: 'Root',
        path: 'Root',
        capacity: 4,
        available: 3,
        waiting: 0,
        children: [
          { name: 'a', path: 'Root>a', capacity: 1, available: 1, waiting: 0, children: [] },
          {
            name: 'b',
            path: 'Root>b',
            capacity: 2,
            available: 1,
            waiting: 0,
            children: [{ name: 'leaf', path: 'Root>b>leaf', capacity: 1, available: 0, waiting: 0, children: [] }],
          },
        ],
      },
    ]);
  });
});

describe('available', () => {
  test('looks at a resource’s own slots only: ancestors and blockers do not count', async () => {
    await holdfast.register({ name: 'L', treePath: 'Up', blocks: ['Block'] }, { name: 'P', capacity: 2 });
    await holdfast.reserve({ resource: 'Up', requester: 'r' }, { resource: 'Block', requester: 'r' });
    expect((await holdfast.available('L')).body).toBe(true);
    await holdfast.reserve({ resource: 'P', requester: 'a' });
    expect((await holdfast.available('P')).body).toBe(true);
    expect((await holdfast.available('P_0')).body).toBe(false);
    expect((await holdfast.available('P_1')).body).toBe(true);
    expect((await holdfast.available('P_2')).body).toBe(false);
    await holdfast.reserve({ resource: 'P', requester: 'b' });
    expect((await holdfast.available('P')).body).toBe(false);
  });
});

describe('delete', () => {
  test('of a name that is not registered: 404', async () => {
    expect(await holdfast.delete('nothing')).toMatchObject({ status: 404, body: { error: expect.any(String) } });
  });

  test('of a resource without children: it is a plain one from then on', async () => {
    await holdfast.register({ name: 'gone', capacity: 2 });
    expect(await holdfast.delete('gone')).toMatchObject({ status: 200, body: { deleted: ['gone'] } });
    expect(await names()).toEqual([]);
    const { body } = await holdfast.reserve({ resource: 'gone', requester: 'r' });
    expect(body[0]).toMatchObject({ status: 'ACQUIRED', acquiredSlots: null });
  });

  test('of a resource with children: 400, unless cascade is true', async () => {
    await holdfast.register({ name: 'Leaf', treePath: 'Root>Mid' }, { name: 'Beside', treePath: 'Root' });
    expect((await holdfast.delete('Root')).status).toBe(400);
    expect((await holdfast.delete('Root', '?cascade=false')).status).toBe(400);
    expect(await holdfast.delete('Root', '?cascade=maybe')).toMatchObject({
      status: 400,
      body: 'cascade must be true or false',
    });
    expect(await names()).toHaveLength(4);
    const { body } = await holdfast.delete('Mid', '?cascade=true');
    expect(body.deleted).toEqual(['Mid', 'Leaf']);
    expect((await holdfast.delete('Root', '?cascade=true')).body.deleted).toEqual(['Root', 'Beside']);
  });

  test('of a resource with an active reservation, in it or below it: 400', async () => {
    await holdfast.register({ name: 'Leaf', treePath: 'Root' }, { name: 'pool', capacity: 2 });
    const { body } = await holdfast.reserve({ resource: 'Leaf', requester: 'r' }, { resource: 'pool', requester: 'r' });
    expect(await holdfast.delete('Leaf')).toMatchObject({ status: 400, body: 'Leaf is held by an active reservation' });
    expect((await holdfast.delete('Root', '?cascade=true')).status).toBe(400);
    expect((await holdfast.delete('pool')).status).toBe(400);
    expect(await names()).toHaveLength(3);
    await holdfast.unreserve(...body);
    expect((await holdfast.delete('Root', '?cascade=true')).status).toBe(200);
    expect((await holdfast.delete('pool')).status).toBe(200);
  });

  test('of a blocker that others still name: it is then a plain resource, and still acquired along', async () => {
    await holdfast.register({ name: 'main', blocks: ['part'] }, { name: 'part', capacity: 2 });
    await holdfast.delete('part');
    const { body } = await holdfast.reserve({ resource: 'main', requester: 'r' });
    expect(body[0]?.acquiredBlockers).toEqual(['part']);
  });
});
