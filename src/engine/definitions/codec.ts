/**
 * Encodes and decodes definitions for scripts. The contract's Definition is the one shape; Redis and the database store
 * the parent in place of the path. If a field is missing here, the code does not compile.
 */
import type { Definition, Registration } from '../../contract/definitions.ts';
import type { Attributes } from '../../domain/attributes.ts';
import type { AfterUse } from '../../domain/conditions.ts';
import { PATH_DELIMITER, parentIn } from '../../domain/names.ts';
import { parseItem, toInteger } from '../../redis/reply.ts';
import { decodeAttributes, encodeAttributes } from './attributes.ts';

/** A definition as it is stored. */
export type StoredDefinition = Pick<Definition, 'name' | 'blocks'> & {
  /** 1 for a group. */
  capacity: number;
  /** The parent; null for a root. */
  parent: string | null;
  isGroup: boolean;
  labels: Labels;
  afterUse: AfterUse;
  attributes: Attributes;
  slotAttributes: readonly Attributes[];
  bookable: boolean;
};

export const toStored = ({
  name,
  blocks,
  capacity,
  treePath,
  group,
  labels,
  ...extra
}: Definition): StoredDefinition => ({
  name,
  blocks,
  capacity: capacity ?? 1,
  parent: parentIn(treePath),
  isGroup: group ?? false,
  labels: labels ?? {},
  afterUse: extra.afterUse ?? 'ready',
  attributes: extra.attributes ?? {},
  slotAttributes: extra.slotAttributes ?? [],
  bookable: extra.bookable ?? false,
});

/** Returns the extra fields of a definition, without those that say nothing. */
export const detailsOf = (isGroup: boolean, labels: Labels): Pick<Definition, 'group' | 'labels'> => ({
  ...(isGroup ? { group: true } : {}),
  ...(Object.keys(labels).length === 0 ? {} : { labels }),
});

/** Returns the attributes of a definition, without those that say nothing. */
export const attributesOf = (
  own: Attributes,
  slots: readonly Attributes[],
): Pick<Definition, 'attributes' | 'slotAttributes'> => ({
  ...(Object.keys(own).length === 0 ? {} : { attributes: own }),
  ...(slots.length === 0 ? {} : { slotAttributes: [...slots] }),
});

/** Returns the counts of slots that are not ready, without those that are 0. */
export const notReadyOf = ({
  outOfService,
  dirty,
}: {
  readonly outOfService: number;
  readonly dirty: number;
}): Pick<Definition, 'outOfService' | 'dirty'> => ({
  ...(outOfService > 0 && { outOfService }),
  ...(dirty > 0 && { dirty }),
});

type Encoders<Shape> = { readonly [Field in keyof Shape]-?: (definition: Shape) => string | number };

const lines = (names: readonly string[]) => names.map((name) => `${name}\n`).join('');

/** @returns each set followed by '\n'; '\n' for none */
const encodeSets = (sets: readonly Attributes[]): string =>
  sets.map((set) => `${encodeAttributes(set)}\n`).join('') || '\n';

/** The arguments for one item of register.lua, in their order. */
const REGISTRATION: Encoders<Omit<Registration, 'outOfService' | 'dirty'>> = {
  name: ({ name }) => name,
  capacity: ({ capacity }) => capacity ?? '',
  blocks: ({ blocks }) => lines(blocks),
  treePath: ({ treePath }) => lines(treePath?.split(PATH_DELIMITER) ?? []),
  group: ({ group }) => (group === undefined ? '' : Number(group)),
  labels: ({ labels }) => (labels === undefined ? '' : encodeLabels(labels)),
  groups: ({ groups }) => Number(groups ?? false),
  afterUse: ({ afterUse }) => afterUse ?? '',
  attributes: ({ attributes }) => (attributes === undefined ? '' : encodeAttributes(attributes)),
  slotAttributes: ({ slotAttributes }) => (slotAttributes === undefined ? '' : encodeSets(slotAttributes)),
  bookable: ({ bookable }) => (bookable === undefined ? '' : Number(bookable)),
};

/** The arguments for one item of copyDefinitions.lua, in their order. */
const STORED: Encoders<StoredDefinition> = {
  name: ({ name }) => name,
  capacity: ({ capacity }) => capacity,
  parent: ({ parent }) => parent ?? '',
  blocks: ({ blocks }) => lines(blocks),
  isGroup: ({ isGroup }) => Number(isGroup),
  labels: ({ labels }) => encodeLabels(labels),
  afterUse: ({ afterUse }) => afterUse,
  attributes: ({ attributes }) => encodeAttributes(attributes),
  slotAttributes: ({ slotAttributes }) => encodeSets(slotAttributes),
  bookable: ({ bookable }) => Number(bookable),
};

/** @returns the arguments of register.lua for an item */
export const encodeRegistration = (definition: Registration): (string | number)[] =>
  Object.values(REGISTRATION).map((encode) => encode(definition));

/** @returns the arguments of copyDefinitions.lua for an item */
export const encodeStored = (definition: StoredDefinition): (string | number)[] =>
  Object.values(STORED).map((encode) => encode(definition));

/** Reads an item of the reply of definitions.lua. */
export function decodeListed(item: unknown): Definition {
  const [name = '', capacity, treePath, group, bookable, afterUse, out, dirty, own = '', ...rest] = parseItem(item);
  const sets = rest.splice(0, 1 + toInteger(rest[0])).slice(1);
  const [, ...labels] = rest.splice(0, 1 + toInteger(rest[0]));
  const isGroup = group === '1';
  return {
    name,
    capacity: isGroup ? null : toInteger(capacity),
    blocks: rest,
    treePath: treePath || null,
    ...detailsOf(isGroup, decodeLabels(labels)),
    ...(bookable === '1' && { bookable: true }),
    ...(afterUse === 'dirty' && { afterUse }),
    ...attributesOf(decodeAttributes(own), sets.map(decodeAttributes)),
    ...notReadyOf({ outOfService: toInteger(out), dirty: toInteger(dirty) }),
  };
}

/** Returns the arguments of copyDefinitions.lua to remove a definition: an item with capacity 0. */
export const removal = ({ name }: StoredDefinition): StoredDefinition => ({
  name,
  capacity: 0,
  parent: null,
  blocks: [],
  isGroup: false,
  labels: {},
  afterUse: 'ready',
  attributes: {},
  slotAttributes: [],
  bookable: false,
});

/** Returns true if two definitions of a name are the same in every field. */
export const isSameDefinition = (one: StoredDefinition, other: StoredDefinition): boolean =>
  Object.values(STORED).every((encode) => encode(one) === encode(other));

/** Key → value. Scripts know labels as sorted lines `<key>=<value>`. */
export type Labels = Readonly<Record<string, string>>;

/** @returns each label followed by '\n'; '\n' for none */
const encodeLabels = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}\n`)
    .sort()
    .join('') || '\n';

export const decodeLabels = (lines: readonly string[]): Labels =>
  Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf('=');
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
