/**
 * Lists a tenant's registered resources, and how much of each is free, page by page in bounded memory: a resource that
 * is registered or deleted meanwhile may or may not be among them.
 */
import type { Definition, TreeRow } from '../../domain/resources.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseItem, toInteger, toText } from '../../redis/reply.ts';
import { call, type Engine } from '../call.ts';

/** Definitions that one call reads at most: about 2 ms of Redis. */
const PAGE = 400;

/** A part of a list. */
export interface Page<Row> {
  /** How many there are to look at in all, as of this page. */
  readonly total: number;
  readonly rows: Row[];
  readonly isLast: boolean;
}

/**
 * All definitions, by the order of their names' code points.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function* definitions(engine: Engine, credential: Credential): AsyncGenerator<Page<Definition>> {
  let last = '';
  for (let isLast: unknown = 0; isLast !== 1; ) {
    const after = last;
    const [flag, total, ...items] = await call(engine, 'definitions', credential, () => [after, PAGE]);
    isLast = flag;
    const rows = items.map((item): Definition => {
      const [name = '', capacity, treePath, ...blocks] = parseItem(item);
      return { name, capacity: toInteger(capacity), blocks, treePath: treePath || null };
    });
    last = rows.at(-1)?.name ?? last;
    yield { total: toInteger(total), rows, isLast: isLast === 1 };
  }
}

/**
 * All definitions, each after the one above it, with what is free of them; children by the order of their names' code
 * points.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function* tree(engine: Engine, credential: Credential): AsyncGenerator<Page<TreeRow>> {
  const path: string[] = [];
  for (let isLast: unknown = 0; isLast !== 1; ) {
    const [flag, total, ...nodes] = await call(engine, 'tree', credential, () => [path.join('>'), PAGE]);
    isLast = flag;
    const rows = nodes.map((node): TreeRow => {
      const [depth, name = '', capacity, held] = toText(node).split('\n');
      path.length = toInteger(depth);
      const parent = path.at(-1) ?? null;
      path.push(name);
      const slots = toInteger(capacity);
      // If the capacity was lowered, more may be held than there is.
      return { name, depth: path.length - 1, parent, capacity: slots, available: Math.max(0, slots - toInteger(held)) };
    });
    yield { total: toInteger(total), rows, isLast: isLast === 1 };
  }
}
