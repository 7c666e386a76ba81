/**
 * Reads the registered resources for a page, up to a limit, with the number of slots held.
 */
import type { Credential } from '../../domain/tenants.ts';
import { definitions, tree } from '../../engine/definitions/list.ts';
import type { Engine } from '../../engine/engine.ts';

/** Maximum number of resources that a page reads: about 200 ms of an instance. */
export const MAX_ROWS = 20_000;
/** Bytes of blockers' names that a page keeps in memory. */
const MAX_BLOCKS_BYTES = 4_194_304;

export interface Row {
  readonly name: string;
  /** Null for a group, which has no slots. */
  readonly capacity: number | null;
  /** '' for a root */
  readonly parent: string;
  /** Number of held slots. */
  readonly held: number;
  /** Number of requests that wait for it. */
  readonly waiting: number;
  /** The first of its ancestors, from the root down, that has no free slot; '' for none. */
  readonly fullAncestor: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Its blockers. */
  blocks: string[];
}

/**
 * Reads name → resource, from the roots down, and stops at about MAX_ROWS.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readRows(engine: Engine, credential: Credential): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  for await (const page of tree(engine, credential)) {
    for (const { name, capacity, parent, available, waiting, labels } of page.rows) {
      const fullAncestor = fullFrom(rows.get(parent ?? ''));
      const held = (capacity ?? 0) - (available ?? 0);
      rows.set(name, { name, capacity, parent: parent ?? '', held, waiting, fullAncestor, labels, blocks: [] });
    }
    if (rows.size >= MAX_ROWS) break;
  }
  let bytes = 0;
  for await (const page of definitions(engine, credential)) {
    for (const { name, blocks } of page.rows) {
      const row = rows.get(name);
      if (row === undefined || blocks.length === 0) continue;
      row.blocks = blocks;
      bytes += blocks.reduce((sum, block) => sum + block.length, 0);
    }
    if (bytes > MAX_BLOCKS_BYTES) break;
  }
  return rows;
}

/** The first resource without a free slot, from the root down to a parent; '' for none. A group gates nothing. */
const fullFrom = (parent: Row | undefined): string => {
  if (parent === undefined) return '';
  const isFull = parent.capacity !== null && parent.held >= parent.capacity;
  return parent.fullAncestor || (isFull ? parent.name : '');
};

/** Labels as texts `<key>=<value>`. */
export const labelTexts = (labels: Readonly<Record<string, string>>): string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`);
