/**
 * Reads the registered resources for a page, up to a limit, with what is free of them.
 */
import type { Credential } from '../../domain/tenants.ts';
import { definitions, labelsInUse, type TreeRow, tree } from '../../engine/definitions/list.ts';
import type { Engine } from '../../engine/engine.ts';
import { resourceStates } from '../../engine/reservations/states.ts';
import { refuseField } from '../form.ts';

/** Maximum number of resources that a page reads: about 200 ms of an instance. */
export const MAX_ROWS = 20_000;
/** Bytes of blockers' names that a page keeps in memory. */
const MAX_BLOCKS_BYTES = 4_194_304;
/** Free resources with blockers whose state a page reads. */
const MAX_TAKERS = 200;

export interface Row {
  readonly name: string;
  /** Null for a group, which has no slots. */
  readonly capacity: number | null;
  /** '' for a root */
  readonly parent: string;
  /** Number of slots that can be taken: free and ready. */
  readonly free: number;
  /** Numbers of slots that are out of service, and that have to be cleaned, held or not. */
  readonly outOfService: number;
  readonly dirty: number;
  /** Number of requests that wait for it. */
  readonly waiting: number;
  /** The first of its ancestors, from the root down, that has no free slot; '' for none. */
  readonly fullAncestor: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Its blockers. */
  blocks: string[];
  /** A blocker that is not free, so that nobody gets a free slot; '' for none, or nobody looked. */
  blockedBy: string;
}

/**
 * Reads name → resource, from the roots down, and stops at about MAX_ROWS.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readRows(engine: Engine, credential: Credential): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  for await (const page of tree(engine, credential)) {
    for (const row of page.rows) rows.set(row.name, toRow(row, fullFrom(rows.get(row.parent ?? ''))));
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
  await lookAtBlockers(engine, credential, rows);
  return rows;
}

async function lookAtBlockers(engine: Engine, credential: Credential, rows: ReadonlyMap<string, Row>) {
  const takers = [...rows.values()].filter(({ blocks, free }) => blocks.length > 0 && free > 0).slice(0, MAX_TAKERS);
  const names = takers.map(({ name }) => name);
  const states = await resourceStates(engine, credential, names, { slots: 0 });
  for (const [i, row] of takers.entries()) row.blockedBy = states[i]?.blockedBy?.name ?? '';
}

/** @param fullAncestor the first of its ancestors that has no free slot; '' for none */
export const toRow = (row: TreeRow, fullAncestor: string): Row => {
  const { name, capacity, parent, available, outOfService, dirty, waiting, labels } = row;
  return {
    name,
    capacity,
    parent: parent ?? '',
    free: available ?? 0,
    outOfService,
    dirty,
    waiting,
    fullAncestor,
    labels,
    blocks: [],
    blockedBy: '',
  };
};

/** The first resource without a free slot, from the root down to a parent; '' for none. A group gates nothing. */
const fullFrom = (parent: Row | undefined): string => {
  if (parent === undefined) return '';
  const isFull = parent.capacity !== null && parent.free === 0;
  return parent.fullAncestor || (isFull ? parent.name : '');
};

/** Labels as texts `<key>=<value>`. */
export const labelTexts = (labels: Readonly<Record<string, string>>): string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`);

/**
 * Reads labels or attributes, each as `name=value`.
 * @param field of the form that they were typed into
 * @throws HoldfastError refused: one has no `=`
 */
export const pairsOf = (field: string, all: readonly string[]) =>
  Object.fromEntries(
    all.map((line) => {
      const end = line.indexOf('=');
      if (end < 0) refuseField(field, `“${line}” needs a value: ${line}=…, name and value in one field`);
      return [line.slice(0, end).trim(), line.slice(end + 1).trim()];
    }),
  );

/** Resources, and labels, to choose from. */
const MAX_NAMES = 200;
const MAX_LABELS = 50;

/** The lists of the form to register. */
export interface RegisterLists {
  readonly names: readonly string[];
  /** From the root down, joined by ` > `. */
  readonly paths: readonly string[];
  /** `<key>=<value>` */
  readonly labels: readonly string[];
}

/** @throws HoldfastError unauthenticated, forbidden, unavailable */
export async function readLists(engine: Engine, credential: Credential): Promise<RegisterLists> {
  const labels = labelsInUse(engine, credential, MAX_LABELS);
  const names: string[] = [];
  const paths: string[] = [];
  const above: string[] = [];
  for await (const { rows } of tree(engine, credential, [], MAX_NAMES)) {
    for (const { name, depth } of rows) {
      above.length = depth;
      above.push(name);
      names.push(name);
      paths.push(above.join(' > '));
    }
    break;
  }
  return { names, paths, labels: await labels };
}
