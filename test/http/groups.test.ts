/**
 * Groups: nodes of the tree that take no slot and gate nothing (docs/specification.md#groups).
 */
import { describe, expect, test } from 'vitest';
import { holdfast, useRegistry } from '../support/instance.ts';

useRegistry();

const phones = { name: 'phones', group: true };
const phone = (i: number) => ({ name: `phone${i}`, treePath: 'phones' });
const statuses = async (...items: Parameters<typeof holdfast.reserve>) =>
  (await holdfast.reserve(...items)).body.map(({ status }) => status);

describe('a group', () => {
  test('takes no slot, so its leaves do not exclude each other', async () => {
    await holdfast.register(phones, phone(1), phone(2));
    const { body } = await holdfast.reserve(
      { resource: 'phone1', requester: 'a' },
      { resource: 'phone2', requester: 'b' },
    );
    expect(body).toMatchObject([
      { status: 'ACQUIRED', acquiredSlots: null, reservedAtPath: 'phones>phone1' },
      { status: 'ACQUIRED', acquiredSlots: null, reservedAtPath: 'phones>phone2' },
    ]);
    const [first] = body;
    const token = first?.releaseToken ?? undefined;
    const released = await holdfast.unreserve({ resource: 'phone1', requester: 'a', releaseToken: token });
    expect(released.body).toMatchObject([{ status: 'RELINQUISHED', released: ['phone1'] }]);
  });

  test('leaves the ancestors above it in the plan', async () => {
    await holdfast.register({ name: 'lab', capacity: 1 }, { ...phones, treePath: 'lab' });
    await holdfast.register({ name: 'phone1', treePath: 'lab>phones' }, { name: 'phone2', treePath: 'lab>phones' });
    const { body } = await holdfast.reserve(
      { resource: 'phone1', requester: 'a' },
      { resource: 'phone2', requester: 'b' },
    );
    expect(body).toMatchObject([
      { status: 'ACQUIRED' },
      { status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE: ancestor lab is at capacity' },
    ]);
  });

  test('cannot be reserved', async () => {
    await holdfast.register(phones);
    expect((await holdfast.reserve({ resource: 'phones', requester: 'a' })).body).toMatchObject([
      { status: 'NOT_VALID', explanation: 'NOT_VALID: phones is a group' },
    ]);
    const waiting = { resource: 'phones', requester: 'a', ttlSeconds: 60, waitSeconds: 60 };
    expect(await statuses(waiting)).toEqual(['NOT_VALID']);
    const item = { requestType: 'RESERVE', resource: 'phones', requester: 'a' } as const;
    const { body } = await holdfast.transaction('ALL_OR_NONE', item);
    expect(JSON.stringify(body)).toContain('NOT_VALID: phones is a group');
  });

  test('cannot be blocked', async () => {
    await holdfast.register(phones, { name: 'room', blocks: ['phones'] });
    expect((await holdfast.reserve({ resource: 'room', requester: 'a' })).body).toMatchObject([
      { status: 'NOT_VALID', explanation: 'NOT_VALID: blocker phones is a group' },
    ]);
    expect(await statuses({ resource: 'room', requester: 'a', ttlSeconds: 60, waitSeconds: 60 })).toEqual([
      'NOT_VALID',
    ]);
  });

  test('is always available', async () => {
    await holdfast.register({ name: 'phones' });
    await holdfast.reserve({ resource: 'phones', requester: 'a' });
    await holdfast.register({ name: 'phones', group: true });
    expect((await holdfast.available('phones')).body).toBe(true);
    expect((await holdfast.check({ resource: 'phones' })).body).toMatchObject([{ reserved: false }]);
  });

  test.each([
    [{ ...phones, capacity: 2 }, '[0].capacity must not be given for a group, which has no slots'],
    [{ ...phones, capacity: 1 }, '[0].capacity must not be given for a group, which has no slots'],
    [{ ...phones, blocks: ['ink'] }, '[0].blocks must be empty for a group, which takes no slots'],
  ])('has no slots and no blockers: %j is a 400', async (item, message) => {
    expect(await holdfast.register(item)).toMatchObject({ status: 400, body: message });
  });

  test('must be said by true or false', async () => {
    for (const field of ['group', 'groups']) {
      const { status, body } = await holdfast.request('POST', '/api/v1/Resource/register', [{ name: 'a', [field]: 1 }]);
      expect({ status, body }).toEqual({ status: 400, body: `[0].${field} must be true or false` });
    }
  });
});

describe('an item without `group`', () => {
  test('leaves what is there', async () => {
    await holdfast.register(phones);
    const { body } = await holdfast.register({ name: 'phones', labels: { os: 'android' } });
    const group = { name: 'phones', capacity: null, blocks: [], treePath: null, group: true };
    expect(body).toEqual([{ ...group, labels: { os: 'android' } }]);
    expect((await holdfast.definitions()).body).toEqual(body);
    const again = await holdfast.register({ name: 'phones', capacity: 2 });
    expect(again.body).toBe('[0].capacity must not be given: phones is a group (group: false makes it a resource)');
    const blocking = await holdfast.register({ name: 'phones', blocks: ['ink'] });
    expect(blocking.body).toBe('[0].blocks must be empty: phones is a group (group: false makes it a resource)');
  });

  test('and one with false makes it a resource', async () => {
    await holdfast.register(phones, phone(1), phone(2));
    const { body } = await holdfast.register({ name: 'phones', group: false, capacity: 2 });
    expect(body).toEqual([{ name: 'phones', capacity: 2, blocks: [], treePath: null }]);
    expect((await holdfast.reserve({ resource: 'phone1', requester: 'a' })).body).toMatchObject([
      { acquiredSlots: { phones: 'phones_0' } },
    ]);
  });
});

describe('turning a node that is held into a group', () => {
  test('leaves its holds as they are', async () => {
    await holdfast.register({ name: 'phones', capacity: 2 }, phone(1), phone(2), phone(3));
    const { body } = await holdfast.reserve(
      { resource: 'phone1', requester: 'a' },
      { resource: 'phones', requester: 'b' },
    );
    await holdfast.register(phones);
    expect(await statuses({ resource: 'phone2', requester: 'c' }, { resource: 'phone3', requester: 'd' })).toEqual([
      'ACQUIRED',
      'ACQUIRED',
    ]);
    expect((await holdfast.reserve({ resource: 'phones', requester: 'b' })).body).toMatchObject([
      { status: 'ALREADY_HAD', releaseToken: body[1]?.releaseToken },
    ]);
    const released = await holdfast.unreserve(
      { resource: 'phone1', requester: 'a', releaseToken: body[0]?.releaseToken ?? undefined },
      { resource: 'phones', requester: 'b', releaseToken: body[1]?.releaseToken ?? undefined },
    );
    expect(released.body).toMatchObject([{ released: ['phone1', 'phones_0'] }, { released: ['phones_1'] }]);
    expect(await statuses({ resource: 'phones', requester: 'b' })).toEqual(['NOT_VALID']);
  });

  test('lets those in who wait for its slot', async () => {
    await holdfast.register({ name: 'phones' }, phone(1), phone(2));
    await holdfast.reserve({ resource: 'phone1', requester: 'a' });
    const item = { resource: 'phone2', requester: 'b', ttlSeconds: 60, waitSeconds: 60 };
    const wait = (poll: number) =>
      holdfast.request<{ status: string }[]>('POST', `/api/v1/Reservation/reserve?pollSeconds=${poll}`, [item]);
    expect((await wait(0)).body).toMatchObject([{ status: 'WAITING' }]);
    await holdfast.register(phones);
    expect((await wait(10)).body).toMatchObject([{ status: 'ACQUIRED' }]);
  });
});

describe('missing ancestors', () => {
  test('are registered as groups with `groups` on the item of the leaf', async () => {
    const { body } = await holdfast.register({ name: 'phone1', treePath: 'lab>phones', groups: true });
    expect(body).toEqual([
      { name: 'phone1', capacity: 1, blocks: [], treePath: 'lab>phones' },
      { name: 'phones', capacity: null, blocks: [], treePath: 'lab', group: true },
      { name: 'lab', capacity: null, blocks: [], treePath: null, group: true },
    ]);
    expect((await holdfast.definitions()).body.map(({ name, group }) => [name, group])).toEqual([
      ['lab', true],
      ['phone1', undefined],
      ['phones', true],
    ]);
  });

  test('which changes none that is registered', async () => {
    await holdfast.register({ name: 'phones', capacity: 3 });
    await holdfast.register({ name: 'phone1', treePath: 'phones', groups: true });
    expect((await holdfast.definitions()).body).toContainEqual({
      name: 'phones',
      capacity: 3,
      blocks: [],
      treePath: null,
    });
  });

  test('have capacity 1 without it', async () => {
    const { body } = await holdfast.register({ name: 'phone1', treePath: 'phones' });
    expect(body[1]).toEqual({ name: 'phones', capacity: 1, blocks: [], treePath: null });
  });
});

describe('Holdfast-Note', () => {
  const noteOf = async (...items: Parameters<typeof holdfast.register>) =>
    (await holdfast.register(...items)).headers.get('Holdfast-Note');

  test('names the ancestors that were registered along, and how', async () => {
    expect(await noteOf({ name: 'phone1', treePath: 'phones' })).toBe('"phones" was registered with capacity 1');
    expect(await noteOf({ name: 'phone2', treePath: 'lab>shelf', groups: true })).toBe(
      '"shelf" was registered as a group, "lab" was registered as a group',
    );
  });

  test('is left out where none was', async () => {
    expect(await noteOf({ name: 'phones' }, phone(1))).toBeNull();
    expect(await noteOf(phone(2))).toBeNull();
  });

  test('percent-encodes what a header cannot hold', async () => {
    expect(await noteOf({ name: 'a', treePath: 'Büro 100%>"é😀"' })).toBe(
      '"%22%C3%A9%F0%9F%98%80%22" was registered with capacity 1, "B%C3%BCro 100%25" was registered with capacity 1',
    );
  });

  test('is bounded, and says how many more there are', async () => {
    const items = Array.from({ length: 100 }, (_, i) => ({ name: `leaf${i}`, treePath: `${'é'.repeat(200)}${i}` }));
    const note = (await noteOf(...items)) ?? '';
    expect(note.length).toBeLessThan(2100);
    expect(note).toMatch(/, and 99 more$/);
  });
});

test('a group is listed as it can be registered again', async () => {
  await holdfast.register(phones, phone(1));
  const { body } = await holdfast.definitions();
  expect((await holdfast.register(...body)).body).toEqual(body);
});

test('the tree shows a group without slots', async () => {
  await holdfast.register(phones, phone(1));
  const leaf = { name: 'phone1', path: 'phones>phone1', capacity: 1, available: 1, waiting: 0, children: [] };
  const group = { name: 'phones', path: 'phones', capacity: null, available: null, waiting: 0, group: true };
  expect((await holdfast.tree()).body).toEqual([{ ...group, children: [leaf] }]);
});
