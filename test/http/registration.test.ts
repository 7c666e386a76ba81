/**
 * The data of a registration, and which registrations are refused (docs/specification.md#registration).
 */
import { describe, expect, test } from 'vitest';
import { holdfast, names, plain, useRegistry } from '../support/instance.ts';

useRegistry();

describe('register', () => {
  test('answers with the definitions as stored, ancestors that were registered along included', async () => {
    const { status, body } = await holdfast.register(
      { name: 'Leaf', capacity: 2, blocks: ['b', 'a'], treePath: 'Root>Branch' },
      { name: 'Other' },
    );
    expect(status).toBe(200);
    expect(body).toEqual([
      { name: 'Leaf', capacity: 2, blocks: ['b', 'a'], treePath: 'Root>Branch' },
      { ...plain, name: 'Other' },
      { ...plain, name: 'Branch', treePath: 'Root' },
      { ...plain, name: 'Root' },
    ]);
  });

  test('is idempotent, and overwrites', async () => {
    const item = { name: 'n', capacity: 3, blocks: ['x'], treePath: 'up' };
    await holdfast.register(item);
    const before = await holdfast.definitions();
    expect((await holdfast.register(item)).body).toEqual([item]);
    expect((await holdfast.definitions()).body).toEqual(before.body);
    await holdfast.register({ name: 'n' });
    expect((await holdfast.definitions()).body).toEqual([
      { ...plain, name: 'n' },
      { ...plain, name: 'up' },
    ]);
  });

  test('takes what definitions returns', async () => {
    await holdfast.register({ name: 'c', capacity: 2, treePath: 'a>b', blocks: ['d'] });
    const { body } = await holdfast.definitions();
    expect((await holdfast.register(...body)).status).toBe(200);
    expect((await holdfast.register({ name: 'd', capacity: null, blocks: null, treePath: null })).body).toEqual([
      { ...plain, name: 'd' },
    ]);
  });

  test('of a name twice in one request: the last counts', async () => {
    const { body } = await holdfast.register({ name: 'd', capacity: 2 }, { name: 'd', capacity: 3 });
    expect(body).toEqual([{ ...plain, name: 'd', capacity: 3 }]);
  });

  test('explicit items come before the ancestors that other items name', async () => {
    await holdfast.register({ name: 'Low', treePath: 'Mid' }, { name: 'Mid', capacity: 4 });
    expect((await holdfast.definitions()).body).toEqual([
      { ...plain, name: 'Low', treePath: 'Mid' },
      { ...plain, name: 'Mid', capacity: 4 },
    ]);
  });

  test('of an inner node under another path moves its subtree', async () => {
    await holdfast.register({ name: 'Leaf', treePath: 'A>B' });
    await holdfast.register({ name: 'B', treePath: 'C' });
    expect((await holdfast.definitions()).body.find(({ name }) => name === 'Leaf')?.treePath).toBe('C>B');
    await holdfast.register({ name: 'B' });
    expect((await holdfast.definitions()).body.find(({ name }) => name === 'Leaf')?.treePath).toBe('B');
  });
});

describe('a registration that is refused: 400, naming item and field, and nothing is applied', () => {
  test.each([
    ['no name', {}, '[1].name is required'],
    ['an empty name', { name: '' }, '[1].name must be 1 to 256 characters long'],
    ['a name with >', { name: 'a>b' }, '[1].name must not contain >'],
    ['a name that a URL cannot hold', { name: '..' }, '[1].name must not be . or ..: a URL cannot name it'],
    ['a path through such a name', { name: 'a', treePath: 'b>.' }, '[1].treePath must not name . or ..'],
    ['capacity 0', { name: 'a', capacity: 0 }, '[1].capacity must be an integer from 1 to 100000'],
    ['capacity 100,001', { name: 'a', capacity: 100_001 }, '[1].capacity must be an integer from 1 to 100000'],
    ['capacity 1.5', { name: 'a', capacity: 1.5 }, '[1].capacity must be an integer from 1 to 100000'],
    ['a capacity that is text', { name: 'a', capacity: '3' }, '[1].capacity must be an integer from 1 to 100000'],
    ['blocks that are no array', { name: 'a', blocks: 'b' }, '[1].blocks must be an array of names'],
    ['an empty blocker', { name: 'a', blocks: [''] }, '[1].blocks[0] must be 1 to 256 characters long'],
    ['a blocker twice', { name: 'a', blocks: ['b', 'b'] }, '[1].blocks must not hold a name twice'],
    ['itself as a blocker', { name: 'a', blocks: ['a'] }, '[1].blocks must not name the resource itself'],
    [
      '65 blockers',
      { name: 'a', blocks: Array.from({ length: 65 }, (_, i) => `b${i}`) },
      '[1].blocks must hold at most 64 names',
    ],
    ['an empty path', { name: 'a', treePath: '' }, '[1].treePath has a segment that must be 1 to 256 characters long'],
    [
      'an empty segment',
      { name: 'a', treePath: 'b>>c' },
      '[1].treePath has a segment that must be 1 to 256 characters long',
    ],
    ['a segment twice', { name: 'a', treePath: 'b>c>b' }, '[1].treePath must not name a resource twice'],
    ['itself in the path', { name: 'a', treePath: 'b>a' }, '[1].treePath must not name the resource itself'],
    [
      '17 segments',
      { name: 'a', treePath: Array.from({ length: 17 }, (_, i) => `s${i}`).join('>') },
      '[1].treePath must have 1 to 16 segments',
    ],
  ])('%s', async (_, item, message) => {
    const answer = await holdfast.request('POST', '/api/v1/Resource/register', [{ name: 'good' }, item]);
    expect(answer).toMatchObject({ status: 400, body: message });
    expect(await names()).toEqual([]);
  });

  test('a path that contradicts a registered ancestor’s', async () => {
    await holdfast.register({ name: 'B', treePath: 'A' });
    const { status, body } = await holdfast.register({ name: 'good' }, { name: 'L', treePath: 'X>B' });
    expect(status).toBe(400);
    expect(body).toBe('[1].treePath contradicts the path of B, which is registered under A');
    expect((await holdfast.register({ name: 'L', treePath: 'B' })).body).toBe(
      '[0].treePath contradicts the path of B, which is registered under A',
    );
    expect((await holdfast.register({ name: 'L', treePath: 'Y>A>B' })).body).toBe(
      '[0].treePath contradicts the path of A, which is registered under nothing',
    );
    expect(await names()).toEqual(['A', 'B']);
  });

  test('two items that contradict each other', async () => {
    const { status } = await holdfast.register({ name: 'L', treePath: 'A>B' }, { name: 'M', treePath: 'C>B' });
    expect(status).toBe(400);
    expect(await names()).toEqual([]);
  });

  test('a cycle', async () => {
    await holdfast.register({ name: 'C', treePath: 'A>B' });
    expect((await holdfast.register({ name: 'A', treePath: 'C' })).status).toBe(400);
    expect((await holdfast.register({ name: 'A', treePath: 'B>C' })).status).toBe(400);
    expect((await holdfast.register({ name: 'P', treePath: 'Q' }, { name: 'Q', treePath: 'P' })).status).toBe(400);
    expect((await holdfast.definitions()).body.find(({ name }) => name === 'C')?.treePath).toBe('A>B');
  });

  test('a pool one of whose slots is another definition, whichever comes first', async () => {
    await holdfast.register({ name: 'pool_1' }, { name: 'pool_5' });
    expect((await holdfast.register({ name: 'pool', capacity: 2 })).body).toBe(
      '[0].capacity must not give it the slot pool_1, which is another resource',
    );
    expect((await holdfast.register({ name: 'pool', capacity: 1 })).status).toBe(200);
    await holdfast.register({ name: 'bowl', capacity: 2 });
    expect((await holdfast.register({ name: 'x', treePath: 'bowl_1' })).body).toBe(
      '[0].treePath must not name bowl_1, which is a slot of bowl',
    );
    expect((await holdfast.register({ name: 'bowl_1' })).status).toBe(400);
    expect((await holdfast.register({ name: 'bowl_2' })).status).toBe(200);
    expect((await holdfast.register({ name: 'cup', capacity: 2 }, { name: 'cup_0' })).status).toBe(400);
  });

  test('an inner node that moves so deep that what is below it would have more than 16 ancestors', async () => {
    const deep = Array.from({ length: 15 }, (_, i) => `d${i}`).join('>');
    await holdfast.register({ name: 'Leaf', treePath: 'A>B' }, { name: 'End', treePath: deep });
    const { status, body } = await holdfast.register({ name: 'A', treePath: deep });
    expect(status).toBe(400);
    expect(body).toBe(
      '[0].treePath must leave what is registered below A at most 16 ancestors, and Leaf would have more',
    );
    expect((await holdfast.register({ name: 'B', treePath: deep })).status).toBe(200);
  });
});
