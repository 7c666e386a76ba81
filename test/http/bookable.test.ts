/**
 * Resources that can be booked (docs/specification.md#bookings).
 */
import { describe, expect, test } from 'vitest';
import { holdfast, useRegistry } from '../support/instance.ts';

useRegistry();

type Item = Parameters<typeof holdfast.register>[0];
const pixel: Item = { name: 'pixel', bookable: true };
const refused = async (...items: Item[]) => {
  const { status, body } = await holdfast.register(...items);
  return status === 400 ? body : status;
};

describe('bookable', () => {
  test('is what a registration says, stays as it is without it, and is left out where it is false', async () => {
    expect((await holdfast.register(pixel, { name: 'plain' })).body).toMatchObject([pixel, { name: 'plain' }]);
    expect((await holdfast.register({ name: 'pixel', capacity: 2 })).body).toMatchObject([{ ...pixel, capacity: 2 }]);
    const [listed, plain] = (await holdfast.definitions()).body;
    expect([listed, plain?.bookable]).toMatchObject([{ ...pixel, capacity: 2 }, undefined]);
    expect((await holdfast.register({ name: 'pixel', bookable: false })).body).not.toHaveProperty('[0].bookable');
    expect((await holdfast.definitions()).body).not.toHaveProperty('[0].bookable');
  });

  test('is true or false, and not true for a group', async () => {
    expect(await refused({ ...pixel, group: true })).toBe(
      '[0].bookable must not be true for a group, which has no slots',
    );
    await holdfast.register(pixel);
    await holdfast.register({ name: 'pixel', group: true });
    await holdfast.register({ name: 'pixel', group: false });
    expect((await holdfast.definitions()).body).not.toHaveProperty('[0].bookable');
  });
});

describe('a bookable resource', () => {
  test('has no blockers', async () => {
    expect(await refused({ ...pixel, blocks: ['ink'] })).toBe('[0].blocks must be empty for a bookable resource');
    await holdfast.register(pixel);
    expect(await refused({ name: 'pixel', blocks: ['ink'] })).toBe('[0].blocks must be empty: pixel is bookable');
    expect(await refused({ name: 'pixel', blocks: ['ink'], bookable: false })).toBe(200);
  });

  test('has nothing below it', async () => {
    await holdfast.register({ name: 'old', treePath: 'pixel' });
    expect(await refused({ name: 'x' }, pixel)).toBe('[1].bookable must be false: pixel has resources below it');
    await holdfast.register({ name: 'tablet', bookable: true });
    const below = '[0].treePath must not name tablet, which is bookable';
    expect(await refused({ name: 'part', treePath: 'tablet' })).toBe(below);
    expect(await refused({ name: 'part', treePath: 'tablet>case', group: true })).toBe(below);
    expect(await refused({ name: 'both', treePath: 'tv' }, { name: 'tv', bookable: true })).toBe(
      '[0].treePath must not name tv, which is bookable',
    );
    await holdfast.register({ name: 'old' });
    expect(await refused(pixel)).toBe(200);
  });

  test('has no ancestors but groups', async () => {
    const text = '[0].treePath must name groups only: pixel is bookable, and shelf is no group';
    expect(await refused({ ...pixel, treePath: 'shelf' })).toBe(text);
    await holdfast.register({ name: 'lab', group: true }, { name: 'pixel', treePath: 'lab>shelf', groups: true });
    expect(await refused({ ...pixel, treePath: 'lab>shelf' })).toBe(200);
    expect(await refused({ name: 'x' }, { name: 'lab', group: false })).toBe(
      '[1].group must be true: pixel below lab is bookable',
    );
    expect(await refused({ name: 'shelf', treePath: 'lab>room' })).toBe(
      '[0].treePath must name groups only: pixel below shelf is bookable',
    );
    expect(await refused({ name: 'shelf', treePath: 'lab>room', groups: true })).toBe(200);
    expect(
      await refused({ name: 'lab', group: false }, { name: 'pixel', treePath: 'lab>room>shelf', bookable: false }),
    ).toBe(200);
  });

  test('can be moved, with all above it, if that agrees in the end', async () => {
    await holdfast.register({ name: 'lab', group: true }, { ...pixel, treePath: 'lab' });
    expect(await refused({ name: 'lab', group: false }, { name: 'pixel' })).toBe(200);
    expect(await refused({ name: 'pixel', treePath: 'lab' }, { name: 'lab', group: true })).toBe(200);
  });

  test('is never taken along', async () => {
    await holdfast.register({ ...pixel, capacity: 2 }, { name: 'room', blocks: ['pixel'] });
    await holdfast.register({ name: 'desk', blocks: ['pixel_1'] });
    const { body } = await holdfast.reserve(
      { resource: 'room', requester: 'a' },
      { resource: 'desk', requester: 'a' },
      { resource: 'pixel', requester: 'a' },
    );
    expect(body).toMatchObject([
      { status: 'NOT_VALID', explanation: 'NOT_VALID: blocker pixel is bookable' },
      { status: 'NOT_VALID', explanation: 'NOT_VALID: blocker pixel_1 is bookable' },
      { status: 'ACQUIRED' },
    ]);
  });
});

test('a subtree that is too large to look through cannot move below what is no group', async () => {
  const leaves = Array.from({ length: 501 }, (_, i): Item => ({ name: `leaf${i}`, treePath: 'lab' }));
  await holdfast.register({ name: 'lab', group: true }, ...leaves.slice(0, 250));
  await holdfast.register(...leaves.slice(250));
  expect(await refused({ name: 'lab', group: false })).toBe(200);
  await holdfast.register({ name: 'lab', group: true }, pixel);
  expect(await refused({ name: 'lab', group: false })).toBe(
    '[0].group must not make more than 500 resources below lab have an ancestor that is no group: some may be bookable',
  );
});
