/**
 * Encodes and decodes definitions for scripts. The contract's Definition is the one shape; Redis and the database store
 * the parent in place of the path. If a field is missing here, the code does not compile.
 */
import type { Definition } from '../../contract/definitions.ts';
import { PATH_DELIMITER, parentIn } from '../../domain/resources.ts';
import { parseItem, toInteger } from '../../redis/reply.ts';

/** A definition as it is stored. */
export type StoredDefinition = Omit<Definition, 'treePath'> & {
  /** The parent; null for a root. */
  parent: string | null;
};

export const toStored = ({ treePath, ...fields }: Definition): StoredDefinition => ({
  ...fields,
  parent: parentIn(treePath),
});

type Encoders<Shape> = { readonly [Field in keyof Shape]-?: (definition: Shape) => string | number };

const lines = (names: readonly string[]) => names.map((name) => `${name}\n`).join('');

/** The arguments for one item of register.lua, in their order. */
const REGISTRATION: Encoders<Definition> = {
  name: ({ name }) => name,
  capacity: ({ capacity }) => capacity,
  blocks: ({ blocks }) => lines(blocks),
  treePath: ({ treePath }) => lines(treePath?.split(PATH_DELIMITER) ?? []),
};

/** The arguments for one item of copyDefinitions.lua, in their order. */
const STORED: Encoders<StoredDefinition> = {
  name: ({ name }) => name,
  capacity: ({ capacity }) => capacity,
  parent: ({ parent }) => parent ?? '',
  blocks: ({ blocks }) => lines(blocks),
};

/** @returns the arguments of register.lua for an item */
export const encodeRegistration = (definition: Definition): (string | number)[] =>
  Object.values(REGISTRATION).map((encode) => encode(definition));

/** @returns the arguments of copyDefinitions.lua for an item */
export const encodeStored = (definition: StoredDefinition): (string | number)[] =>
  Object.values(STORED).map((encode) => encode(definition));

/** Reads an item of the reply of definitions.lua. */
export function decodeListed(item: unknown): Definition {
  const [name = '', capacity, treePath, ...blocks] = parseItem(item);
  return { name, capacity: toInteger(capacity), blocks, treePath: treePath || null };
}

/** Returns the arguments of copyDefinitions.lua to remove a definition: an item with capacity 0. */
export const removal = ({ name }: StoredDefinition): StoredDefinition => ({
  name,
  capacity: 0,
  parent: null,
  blocks: [],
});

/** Whether two definitions of a name are the same in every field. */
export const isSameDefinition = (one: StoredDefinition, other: StoredDefinition): boolean =>
  Object.values(STORED).every((encode) => encode(one) === encode(other));
