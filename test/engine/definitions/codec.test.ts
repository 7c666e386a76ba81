/**
 * The codec of definitions covers every field of the contract's schema.
 */
import { describe, expect, test } from 'vitest';
import { Definition } from '../../../src/contract/definitions.ts';
import {
  encodeRegistration,
  isSameDefinition,
  type StoredDefinition,
  toStored,
} from '../../../src/engine/definitions/codec.ts';

const definition: Definition = {
  name: 'room',
  capacity: 2,
  blocks: ['ink', 'paper'],
  treePath: 'house>floor',
  labels: { os: 'android' },
};
/** Fields that are counted, or that scripts do not know yet. */
const OTHERS = ['outOfService', 'dirty', 'attributes', 'slotAttributes'] as const;
/** The same definition with one field changed, for each field of the schema. */
const changed: Record<Exclude<keyof Definition, (typeof OTHERS)[number]>, Definition> = {
  name: { ...definition, name: 'hall' },
  capacity: { ...definition, capacity: 3 },
  blocks: { ...definition, blocks: ['paper', 'ink'] },
  treePath: { ...definition, treePath: 'house>cellar' },
  group: { ...definition, group: true },
  labels: { ...definition, labels: { os: 'ios' } },
  afterUse: { ...definition, afterUse: 'dirty' },
  bookable: { ...definition, bookable: true },
};

test('the schema has the fields that are tested here', () => {
  expect(Object.keys(Definition.shape).sort()).toEqual([...Object.keys(changed), ...OTHERS].sort());
});

describe.each(Object.entries(changed))('a change of %s', (_, other) => {
  test('is sent to register.lua', () => {
    expect(encodeRegistration(other)).not.toEqual(encodeRegistration(definition));
  });

  test('is found when Redis is compared with the database, either way', () => {
    const [one, two]: StoredDefinition[] = [toStored(definition), toStored(other)];
    expect(one && two && [isSameDefinition(one, two), isSameDefinition(two, one)]).toEqual([false, false]);
  });
});

test('the order of labels makes no difference', () => {
  const one = toStored({ ...definition, labels: { os: 'android', size: 'xl' } });
  const other = toStored({ ...definition, labels: { size: 'xl', os: 'android' } });
  expect(isSameDefinition(one, other)).toBe(true);
});

test('a definition is the same as itself, and as one under another path to the same parent', () => {
  const moved = { ...definition, treePath: 'cellar>floor' };
  expect(isSameDefinition(toStored(definition), toStored(definition))).toBe(true);
  expect(isSameDefinition(toStored(definition), toStored(moved))).toBe(true);
});
