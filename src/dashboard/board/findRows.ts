/**
 * Finds the rows of one page of the Board. It reads names until the page is full, and the state of only these. Where a
 * page begins is a text: `t` and the path of the last node of the tree before, `n` and the last of a list of names, `u`
 * and the last of the names that are not registered.
 */
import { PATH_DELIMITER } from '../../domain/names.ts';
import { type TreeRow, tree } from '../../engine/definitions/list.ts';
import { unregistered } from '../../engine/reservations/active.ts';
import { type ResourceState, resourceStates } from '../../engine/reservations/states.ts';
import { labelTexts } from '../resource/registeredResources.ts';
import { namesWith } from './heldNames.ts';
import { type BoardQuery, type BoardRequest, MAX_LOOKED_AT } from './query.ts';

/** Rows on a page. */
export const PAGE = 30;
/** Slots of a pool that are read. */
const SLOTS = 8;

export interface BoardRows {
  readonly registered: readonly ResourceState[];
  /** Names that are held without being registered. */
  readonly others: readonly ResourceState[];
  /** Where the next page begins; null: there is none */
  readonly next: string | null;
  /** Whether it stopped before the end, since it had read MAX_LOOKED_AT. */
  readonly isPartial: boolean;
}

/** Names of a page, and where the next one begins. */
interface Names {
  readonly names: readonly string[];
  readonly next: string | null;
  readonly isPartial: boolean;
}

const NONE: Names = { names: [], next: null, isPartial: false };

/** @throws HoldfastError unauthenticated, forbidden, unavailable */
export async function findRows(request: BoardRequest): Promise<BoardRows> {
  const { on, after } = request.query;
  if (on.has('mine') || on.has('expiring')) return amongHeld(request);
  const inTree = on.has('unregistered') || after.startsWith('u') ? NONE : await fromTree(request);
  const isFull = inTree.next !== null;
  const rest =
    isFull || !mayBeUnregistered(request.query) ? NONE : await notRegistered(request, PAGE - inTree.names.length);
  const states = await statesOf(request, [...inTree.names, ...rest.names]);
  const next = inTree.next ?? rest.next;
  const inTheTree = states.slice(0, inTree.names.length);
  // The walk of the tree does not know of blockers.
  const registered = on.has('free') ? inTheTree.filter(isFree) : inTheTree;
  return {
    registered,
    others: states.slice(inTree.names.length),
    next,
    isPartial: inTree.isPartial || rest.isPartial || (registered.length === 0 && next !== null),
  };
}

const statesOf = ({ engine, credential, requesters }: BoardRequest, names: readonly string[]) =>
  names.length === 0 ? [] : resourceStates(engine, credential, names, { slots: SLOTS, requesters });

/** Names without a definition have no labels, and are listed because they are held. */
const mayBeUnregistered = ({ labels, on }: BoardQuery) => labels.length === 0 && !on.has('free');

/** Whether a name or one of its labels contains the text that is searched for, and it has the labels. */
function isFound({ q, labels }: BoardQuery, name: string, has: Readonly<Record<string, string>>): boolean {
  const texts = labelTexts(has);
  const wanted = q.toLowerCase();
  return (
    labels.every((label) => texts.includes(label)) &&
    [name, ...texts].some((text) => text.toLowerCase().includes(wanted))
  );
}

const isFree = ({ capacity, held, fullAncestor, blockedBy }: ResourceState) =>
  capacity !== null && held < capacity && fullAncestor === null && blockedBy === null;

/** Walks the tree from where the page begins, until the page is full. */
async function fromTree(request: BoardRequest): Promise<Names> {
  const { engine, credential, query } = request;
  const isWhole = query.q === '' && query.labels.length === 0 && !query.on.has('free');
  const path = query.after.startsWith('t') ? query.after.slice(1).split(PATH_DELIMITER) : [];
  const isShut = await shutBelow(request, path);
  const found: string[] = [];
  let last = query.after;
  let lookedAt = 0;
  for await (const page of tree(engine, credential, path, isWhole ? PAGE + 1 : undefined)) {
    for (const row of page.rows) {
      path.length = row.depth;
      path.push(row.name);
      const shut = isShut(row);
      if (!isFound(query, row.name, row.labels)) continue;
      if (query.on.has('free') && (shut || (row.available ?? 0) === 0)) continue;
      if (found.length === PAGE) return { names: found, next: last, isPartial: false };
      found.push(row.name);
      last = `t${path.join(PATH_DELIMITER)}`;
    }
    lookedAt += page.rows.length;
    if (lookedAt >= MAX_LOOKED_AT && !page.isLast)
      return { names: found, next: `t${path.join(PATH_DELIMITER)}`, isPartial: true };
  }
  return { names: found, next: null, isPartial: false };
}

/** Returns a function that says, of each node of a walk, whether an ancestor of it has no free slot. */
async function shutBelow(request: BoardRequest, path: readonly string[]): Promise<(row: TreeRow) => boolean> {
  // full[depth]: whether the node of the path at that depth, or one above it, has no free slot.
  const full: boolean[] = [];
  if (request.query.on.has('free'))
    for (const state of await statesOf(request, path))
      full.push(state.fullAncestor !== null || (state.capacity !== null && state.held >= state.capacity));
  return ({ depth, available }) => {
    const shut = full[depth - 1] ?? false;
    full.length = depth;
    full.push(shut || available === 0);
    return shut;
  };
}

/** The names that are not registered, sorted, from where the page begins. */
async function notRegistered({ engine, credential, query }: BoardRequest, size: number): Promise<Names> {
  const found = new Set<string>();
  let cursor: string | null = '0';
  let calls = 0;
  for (; cursor !== null && calls < MAX_LOOKED_AT / 400; calls++) {
    const page = await unregistered(engine, credential, cursor);
    for (const name of page.names) if (isFound(query, name, {})) found.add(name);
    cursor = page.next;
  }
  const from = query.after.startsWith('u') ? query.after.slice(1) : '';
  return { ...pageOf([...found].sort(), from, 'u', size), isPartial: cursor !== null };
}

/** Cuts a page out of sorted names. */
function pageOf(sorted: readonly string[], from: string, kind: 'n' | 'u', size: number): Names {
  const start = from === '' ? 0 : sorted.findIndex((name) => name > from);
  const names = start < 0 ? [] : sorted.slice(start, start + size);
  const isMore = start >= 0 && sorted.length > start + size;
  // A page without room for any of them leads to one that begins with the first.
  return { names, next: isMore ? `${kind}${names.at(-1) ?? ''}` : null, isPartial: false };
}

/** Rows among what the person has or waits for, or what ends soon. */
async function amongHeld(request: BoardRequest): Promise<BoardRows> {
  const { query } = request;
  const { names, isPartial } = await namesWith(request);
  const from = query.after.startsWith('n') ? query.after.slice(1) : '';
  const rows = new Map<string, ResourceState>();
  let last = from;
  for (;;) {
    const piece = pageOf(names, last, 'n', PAGE);
    for (const [i, state] of (await statesOf(request, piece.names)).entries()) {
      const isWanted =
        isFound(query, state.name, state.labels) &&
        !(query.on.has('free') && !isFree(state)) &&
        !(query.on.has('unregistered') && state.isRegistered);
      if (isWanted && rows.size === PAGE && !rows.has(state.name)) return asRows(rows, `n${last}`, isPartial);
      if (isWanted) rows.set(state.name, state);
      last = piece.names[i] ?? last;
    }
    if (piece.next === null) return asRows(rows, null, isPartial);
  }
}

function asRows(rows: ReadonlyMap<string, ResourceState>, next: string | null, isPartial: boolean): BoardRows {
  const all = [...rows.values()];
  return {
    registered: all.filter((state) => state.isRegistered),
    others: all.filter((state) => !state.isRegistered),
    next,
    isPartial,
  };
}
