/**
 * The fields of the items that scripts take, in the order in which they are passed: the twin of lua/frame/items.lua,
 * where each kind has a function. Definitions are encoded in src/engine/definitions/codec.ts.
 */
const ITEMS = {
  reserve: ['resource', 'requester', 'ttlMs', 'type', 'token', 'wait', 'count', 'options'],
  unreserve: ['resource', 'requester', 'token'],
  renew: ['resource', 'requester', 'token', 'ttlMs'],
  check: ['resource', 'requester'],
  cancel: ['resource', 'requester'],
} as const;

export type ItemKind = keyof typeof ITEMS;

/** @returns the fields of an item, in order; the item of a transaction has its requestType before them */
export const fieldsOf = (kind: ItemKind): readonly string[] => ITEMS[kind];

/** @returns what a script takes for an item */
export function itemArgs<Kind extends ItemKind>(
  kind: Kind,
  item: Readonly<Record<(typeof ITEMS)[Kind][number], string | number>>,
): (string | number)[] {
  const fields: readonly (typeof ITEMS)[Kind][number][] = ITEMS[kind];
  return fields.map((field) => item[field]);
}
