/**
 * Layouts of data that Lua knows too: the field `hot` of a tenant, and the items that scripts take.
 */

/**
 * The field `hot` of a tenant's hash: the twin of lua/frame/hot.lua. lua/frame/tenant.lua says what its parts mean.
 * These are its unsigned big-endian integers, in order, with their bytes. The publisher follows, with a zero byte after
 * it, and then the numbers of the outbox if there is one.
 */
export const HOT_NUMBERS = [
  ['tier', 1],
  ['flags', 2],
  ['definitions', 4],
  ['minuteStart', 7],
  ['minute', 4],
  ['day', 4],
  ['today', 4],
  ['fence', 7],
  ['count', 4],
  ['moreSlots', 4],
  ['nextDue', 7],
  ['dueIndexed', 7],
  ['listenUntil', 7],
  ['messages', 6],
  ['bytes', 7],
] as const;

/** The numbers of the outbox (lua/events/outbox.lua), of tenants with this flag. */
export const BOX_NUMBERS = [
  ['types', 4],
  ['personTypes', 4],
  ['from', 7],
  ['to', 7],
  ['entries', 4],
  ['events', 7],
  ['missed', 4],
] as const;
export const HAS_NOTICES = 256;

type HotNumber = (typeof HOT_NUMBERS)[number][0];
export type Box = Readonly<Record<(typeof BOX_NUMBERS)[number][0], number>>;
export type Hot = Readonly<Record<HotNumber, number>> & {
  /** null: the tenant has no outbox */
  readonly box: Box | null;
  readonly publisher: string;
};

/** No time, and no number of bytes. */
export const NEVER = 2 ** 53;

const NONE: Hot = {
  tier: 0,
  flags: 0,
  definitions: 0,
  minuteStart: 0,
  minute: 0,
  day: 0,
  today: 0,
  fence: 0,
  count: 0,
  moreSlots: 0,
  nextDue: NEVER,
  dueIndexed: NEVER,
  listenUntil: 0,
  messages: 0,
  bytes: NEVER,
  box: null,
  publisher: '',
};

const NO_BOX: Box = { types: 0, personTypes: 0, from: 0, to: 0, entries: 0, events: 0, missed: 0 };

/** @param packed null for a tenant that Redis does not have */
export function readHot(packed: Buffer | null | undefined): Hot {
  if (packed == null) return NONE;
  let at = 0;
  const read = (layout: readonly (readonly [string, number])[]) =>
    Object.fromEntries(
      layout.map(([name, bytes]) => {
        const value = packed.subarray(at, at + bytes).reduce((sum, byte) => sum * 256 + byte, 0);
        at += bytes;
        return [name, value] as const;
      }),
    );
  const numbers = { ...NONE, ...read(HOT_NUMBERS) };
  const end = packed.indexOf(0, at);
  const publisher = packed.toString('latin1', at, end);
  at = end + 1;
  const box = Math.floor(numbers.flags / HAS_NOTICES) % 2 === 1 ? { ...NO_BOX, ...read(BOX_NUMBERS) } : null;
  return { ...numbers, box, publisher };
}

/**
 * The fields of the items that scripts take, in the order in which they are passed: the twin of lua/frame/items.lua,
 * where each kind has a function. Definitions are encoded in src/engine/definitions/codec.ts.
 */
const ITEMS = {
  reserve: ['resource', 'requester', 'token', 'lease', 'type', 'wait', 'count', 'options'],
  unreserve: ['resource', 'requester', 'token'],
  book: ['resource', 'requester', 'start', 'end', 'id', 'token', 'type', 'claimWithin', 'series', 'options'],
  renew: ['resource', 'requester', 'token', 'ttlMs'],
  check: ['resource', 'requester'],
  cancel: ['resource', 'requester'],
  setCondition: ['resource', 'condition', 'reason'],
  out: ['slot', 'sinceMs', 'actor', 'reason'],
} as const;

export type ItemKind = keyof typeof ITEMS;

/**
 * Of an item to reserve, the fields from the lease on are passed as one, with line breaks between; the lease alone if
 * all others are ''.
 */
const LEASE = 3;

/** @returns the fields of an item, in order; the item of a transaction has its requestType before them */
export const fieldsOf = (kind: ItemKind): readonly string[] => ITEMS[kind];

/** Maps values to arrays and joins these, as flatMap() does in ten times the time. */
export function joined<T, Part>(values: readonly T[], partsOf: (value: T, index: number) => readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const [i, value] of values.entries()) all.push(...partsOf(value, i));
  return all;
}

/** @returns what a script takes for an item */
export function itemArgs<Kind extends ItemKind>(
  kind: Kind,
  item: Readonly<Record<(typeof ITEMS)[Kind][number], string | number>>,
): (string | number)[] {
  const fields: readonly (typeof ITEMS)[Kind][number][] = ITEMS[kind];
  const args: (string | number)[] = [];
  for (const field of fields) args.push(item[field]);
  if (kind !== 'reserve') return args;
  let end = args.length;
  while (args[end - 1] === '' && end > LEASE + 1) end--;
  if (end > LEASE + 1) args[LEASE] = args.slice(LEASE).join('\n');
  args.length = LEASE + 1;
  return args;
}
