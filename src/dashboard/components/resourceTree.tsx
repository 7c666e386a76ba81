/**
 * A picture of registered resources: each with its free and held slots, and its children below it. A resource below a
 * full ancestor is shown as not available.
 */
import { labelTexts, type Row } from '../resource/registeredResources.ts';

/** Children shown of a node, whose own page has them all; and nodes shown in a picture. */
const MAX_CHILDREN = 50;
const MAX_NODES = 300;
/** Roots on one page. */
const ROOTS = 100;
/** Slots that are drawn one by one. */
const MAX_SLOTS = 24;
const CELL = 9;

export const resourcePath = (name: string) => `/dashboard/resources/one?${new URLSearchParams({ name })}`;

/** Parent → its children, by name. Where a parent is not registered, its children are roots: those of ''. */
export function childrenOf(rows: ReadonlyMap<string, Row>): ReadonlyMap<string, Row[]> {
  const children = new Map<string, Row[]>();
  for (const row of rows.values()) {
    const parent = rows.has(row.parent) ? row.parent : '';
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [row]);
    else siblings.push(row);
  }
  return children;
}

export interface ResourceTreeProps {
  readonly roots: readonly Row[];
  readonly children: ReadonlyMap<string, readonly Row[]>;
  /** Which page of the roots, from 1, and where another one is. */
  readonly page: number;
  readonly link: (page: number) => string;
}

export const ResourceTree = ({ roots, children, page, link }: ResourceTreeProps) => {
  const visible = roots.slice((page - 1) * ROOTS, page * ROOTS);
  const pages = Math.max(1, Math.ceil(roots.length / ROOTS));
  let drawn = visible.length;
  const below = (parent: Row) => {
    const rows = children.get(parent.name) ?? [];
    if (rows.length === 0) return null;
    const some = rows.slice(0, Math.min(MAX_CHILDREN, Math.max(0, MAX_NODES - drawn)));
    drawn += some.length;
    return level(some, rows.length - some.length, parent);
  };
  const level = (rows: readonly Row[], left: number, parent: Row | null) => (
    <ul class="tree">
      {rows.map((row) => (
        <li>
          <Node row={row} />
          {below(row)}
        </li>
      ))}
      {left > 0 && parent !== null && (
        <li>
          <a href={resourcePath(parent.name)}>
            and {left} more<span class="out-of-sight"> below {parent.name}</span>
          </a>
        </li>
      )}
    </ul>
  );
  return (
    <>
      {level(visible, 0, null)}
      {pages > 1 && (
        <nav class="pages" aria-label="Pages of resources">
          {page > 1 && <a href={link(page - 1)}>Previous</a>} Page {page} of {pages}{' '}
          {page < pages && <a href={link(page + 1)}>Next</a>}
        </nav>
      )}
    </>
  );
};

const Node = ({ row }: { row: Row }) => {
  const { name, capacity, held, waiting, fullAncestor, blocks } = row;
  const state = stateOf(row);
  const labels = labelTexts(row.labels);
  return (
    <div class={`node ${state}`} data-name={name}>
      <a class="node-name" href={resourcePath(name)}>
        {name}
      </a>
      {capacity !== null && <Slots capacity={capacity} held={held} />}
      <span class="amount">{capacity === null ? 'group' : amountOf(capacity, held)}</span>
      {state === 'shut' && <span class="amount">not available: {fullAncestor} is full</span>}
      {waiting > 0 && <span class="amount">{waiting} waiting</span>}
      {blocks.length > 0 && <span class="blocks">acquires {blocks.join(', ')}</span>}
      {labels.length > 0 && <span class="labels">{labels.join(', ')}</span>}
    </div>
  );
};

const stateOf = ({ capacity, held, fullAncestor }: Row): 'group' | 'free' | 'some' | 'full' | 'shut' => {
  if (capacity === null) return 'group';
  if (held >= capacity) return 'full';
  if (fullAncestor !== '') return 'shut';
  return held === 0 ? 'free' : 'some';
};

const amountOf = (capacity: number, held: number) =>
  capacity === 1 ? (held === 0 ? 'free' : 'held') : `${Math.max(0, capacity - held)} of ${capacity} free`;

const Slots = ({ capacity, held }: { capacity: number; held: number }) => {
  const cells = Math.min(capacity, MAX_SLOTS);
  const filled =
    capacity <= MAX_SLOTS ? Math.min(held, cells) : Math.ceil((Math.min(held, capacity) / capacity) * cells);
  const width = cells * CELL;
  return (
    <svg class="cells" aria-hidden="true" width={width} height="12" viewBox={`0 0 ${width} 12`}>
      <path class="held" d={squares(0, filled)} />
      <path class="free" d={squares(filled, cells)} />
    </svg>
  );
};

/** One path for all of them: a page may show thousands. */
const squares = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `M${(from + i) * CELL + 1} 2h6v8h-6z`).join('');
