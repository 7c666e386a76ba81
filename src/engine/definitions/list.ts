/**
 * Lists a tenant's registered resources and their free slots, page by page in bounded memory. A resource that is
 * registered or deleted during the walk may or may not be listed.
 */
import type { Definition } from '../../contract/definitions.ts';
import type { AskedCondition } from '../../domain/conditions.ts';
import type { Charged, Quota } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { toBookedFrom, toInteger, toText } from '../../redis/reply.ts';
import { callInBatch } from '../batch.ts';
import { call, callRead } from '../call.ts';
import type { Engine } from '../engine.ts';
import { decodeLabels, decodeListed, type Labels } from './codec.ts';

/** Maximum number of definitions that one call reads: about 2 ms of Redis. */
const PAGE = 400;

/** One node of a tree that is listed from the roots down. */
export interface TreeRow {
  readonly name: string;
  /** The number of ancestors. */
  readonly depth: number;
  /** The name of the parent; null for a root. */
  readonly parent: string | null;
  /** The number of slots; null for a group. */
  readonly capacity: number | null;
  /** Slots that are free and ready; null for a group. */
  readonly available: number | null;
  /** Slots that are out of service, and those that are dirty, held or not. */
  readonly outOfService: number;
  readonly dirty: number;
  /** Tickets that wait for it. */
  readonly waiting: number;
  /** True if it can be booked for a time ahead. */
  readonly isBookable: boolean;
  /** Left out: it is not booked. */
  readonly bookedFrom?: string | undefined;
  readonly labels: Labels;
}

/** The condition that listed definitions have; any if it is left out. */
export interface Wanted {
  /** `<key>=<value>` */
  readonly label?: string | undefined;
  /** The condition of at least one slot. */
  readonly condition?: AskedCondition | undefined;
}

/** A part of a list. */
export interface Page<Row> {
  /** The number of items in the whole list, as of this page. */
  readonly total: number;
  readonly rows: Row[];
  readonly isLast: boolean;
  /** The remaining quota of reads; empty if nothing was charged with this page. */
  readonly quota: readonly Quota[];
}

/**
 * Lists definitions, sorted by the code points of their names.
 * @param cost reads to charge with the first page
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function* definitions(
  engine: Engine,
  credential: Credential,
  { label, condition }: Wanted = {},
  cost = 0,
): AsyncGenerator<Page<Definition>> {
  let last = '';
  for (let isLast: unknown = 0; isLast !== 1; ) {
    const after = last;
    const due = last === '' ? cost : 0;
    const page = await callRead(engine, 'definitions', credential, due, () => [
      after,
      PAGE,
      label ?? '',
      condition ?? '',
    ]);
    const [flag, total, looked, ...items] = page.result;
    isLast = flag;
    const rows = items.map(decodeListed);
    last = toText(looked);
    yield { total: toInteger(total), rows, isLast: isLast === 1, quota: page.quota };
  }
}

/** Names that are read from a place in their order on, to find one. */
const NEAR = 4;

/**
 * Reads one definition as it is listed; null: the name is not registered.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function definition(engine: Engine, credential: Credential, name: string): Promise<Definition | null> {
  const { result } = await callRead(engine, 'definitions', credential, 0, () => [placeBefore(name), NEAR, '', '']);
  return (
    result
      .slice(3)
      .map(decodeListed)
      .find((one) => one.name === name) ?? null
  );
}

/** A text that sorts before a name, and after nearly all names before that. */
function placeBefore(name: string): string {
  const points = [...name];
  const last = points.pop()?.codePointAt(0) ?? 0;
  // No text ends in half of a surrogate pair.
  const before = last === 0xe000 ? 0xd7ff : last - 1;
  return before < 0 ? '' : `${points.join('')}${String.fromCodePoint(before)}\u{10ffff}`;
}

/**
 * Lists all definitions with their free slots, each after its parent; children sorted by the code points of their
 * names.
 * @param after names from a root down to a resource: the list begins with what follows it, its children first
 * @param limit the most that one page has
 * @param cost reads to charge with the first page
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function* tree(
  engine: Engine,
  credential: Credential,
  after: readonly string[] = [],
  limit = PAGE,
  cost = 0,
): AsyncGenerator<Page<TreeRow>> {
  const path = [...after];
  let due = cost;
  for (let isLast: unknown = 0; isLast !== 1; ) {
    const page = await callRead(engine, 'tree', credential, due, () => [path.join('>'), limit]);
    const [flag, total, ...nodes] = page.result;
    due = 0;
    isLast = flag;
    const rows = nodes.map((node): TreeRow => {
      const [depth, name = '', capacity, free, out, dirty, waiting, kind, ...rest] = toText(node).split('\n');
      const [bookedFrom, ...labels] = rest;
      path.length = toInteger(depth);
      const parent = path.at(-1) ?? null;
      path.push(name);
      const isGroup = kind === '1';
      return {
        name,
        depth: path.length - 1,
        parent,
        capacity: isGroup ? null : toInteger(capacity),
        available: isGroup ? null : toInteger(free),
        outOfService: toInteger(out),
        dirty: toInteger(dirty),
        waiting: toInteger(waiting),
        isBookable: kind === '2',
        ...toBookedFrom(bookedFrom),
        labels: decodeLabels(labels),
      };
    });
    yield { total: toInteger(total), rows, isLast: isLast === 1, quota: page.quota };
  }
}

/** A key with more values than these names single resources, as a serial number does. */
const MAX_VALUES = 8;

/**
 * Returns labels that registered resources have, for people to choose from.
 * @param limit maximum number of labels
 * @returns labels `<key>=<value>`, sorted
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function labelsInUse(engine: Engine, credential: Credential, limit: number): Promise<string[]> {
  return (await call(engine, 'labelsInUse', credential, () => [limit, MAX_VALUES])).map(toText);
}

/**
 * Checks whether a resource has a free slot (docs/specification.md#check, #registration). Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const available = (engine: Engine, credential: Credential, resource: string): Promise<Charged<boolean>> =>
  callInBatch(engine, 'available', credential, 1, [resource], undefined, (replies, from) => replies[from] === 1);
