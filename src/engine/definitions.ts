/**
 * Lists a tenant's registered resources, and how much of each is free (interface, "Endpoints"; decisions, section 5). Pages are
 * read one by one: a resource that is registered or deleted meanwhile may or may not be among them.
 */
import { type Definition, PATH_DELIMITER, type TreeNode } from '../domain/resources.ts';
import type { Credential } from '../domain/tenants.ts';
import { call, type Engine } from './engine.ts';
import { parseReply, toInteger, toText } from './reply.ts';

/** Definitions that one call reads: about 1 ms of Redis. */
const PAGE = 250;

/** A definition as Redis has it. */
export interface Row {
  readonly name: string;
  readonly capacity: number;
  /** '' for a root */
  readonly parent: string;
  /** How many of its slots are. */
  readonly held: number;
  readonly blocks: string[];
}

/**
 * @returns all definitions, by the order of their names' code points
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function definitions(engine: Engine, credential: Credential): Promise<Definition[]> {
  const rows = await readRows(engine, credential);
  const pathOf = pathsOf(rows);
  return [...rows.values()].map(({ name, capacity, blocks, parent }) => ({
    name,
    capacity,
    blocks,
    treePath: rows.has(parent) ? pathOf(parent) : null,
  }));
}

/**
 * @returns the roots, what is below them in them
 * @throws HoldfastError unauthenticated, unavailable
 */
export async function tree(engine: Engine, credential: Credential): Promise<TreeNode[]> {
  const rows = await readRows(engine, credential);
  const pathOf = pathsOf(rows);
  const roots: TreeNode[] = [];
  const nodes = new Map<string, TreeNode>();
  for (const { name, capacity, held } of rows.values()) {
    // Where a capacity was lowered, more may be held than there is.
    const available = Math.max(0, capacity - held);
    nodes.set(name, { name, path: pathOf(name), capacity, available, children: [] });
  }
  for (const { name, parent } of rows.values()) {
    const node = nodes.get(name);
    if (node !== undefined) (nodes.get(parent)?.children ?? roots).push(node);
  }
  return roots;
}

/**
 * Name → definition, in the order of their names.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readRows(engine: Engine, credential: Credential): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  let last = '';
  for (;;) {
    const after = last;
    const page = await call(engine, 'definitions', credential, () => [after, PAGE]);
    for (const item of page) {
      const [name, capacity, parent, held, ...blocks] = parseReply(item);
      last = toText(name);
      rows.set(last, {
        name: last,
        capacity: toInteger(capacity),
        parent: toText(parent),
        held: toInteger(held),
        blocks: blocks.map(toText),
      });
    }
    if (page.length < PAGE) return rows;
  }
}

/** Finds the path of each name; one whose parent is not among the rows counts as a root. */
function pathsOf(rows: ReadonlyMap<string, Row>): (name: string) => string {
  const paths = new Map<string, string>();
  const pathOf = (name: string): string => {
    const known = paths.get(name);
    if (known !== undefined) return known;
    const parent = rows.get(name)?.parent ?? '';
    const path = rows.has(parent) ? pathOf(parent) + PATH_DELIMITER + name : name;
    paths.set(name, path);
    return path;
  };
  return pathOf;
}
