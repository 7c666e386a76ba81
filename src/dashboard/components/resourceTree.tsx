/**
 * Registered resources as a picture: each with its slots, free and held, and below it what it gates.
 */
import type { Row } from '../../engine/definitions.ts';

/** Of each node, and in all; the rest is found by search, or below its parent's own page. */
const MOST_CHILDREN = 50;
const MOST_NODES = 300;
/** Slots that are drawn one by one. */
const MOST_SLOTS = 24;
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
  /** Where the roots that are not drawn can be seen. */
  readonly more: string;
}

export const ResourceTree = ({ roots, children, more }: ResourceTreeProps) => {
  let drawn = 0;
  const level = (rows: readonly Row[], rest: string) => {
    const shown = rows.slice(0, Math.min(MOST_CHILDREN, Math.max(0, MOST_NODES - drawn)));
    drawn += shown.length;
    return (
      <ul class="tree">
        {shown.map((row) => {
          const below = children.get(row.name) ?? [];
          return (
            <li>
              <Node row={row} />
              {below.length > 0 && level(below, resourcePath(row.name))}
            </li>
          );
        })}
        {rows.length > shown.length && (
          <li>
            <a href={rest}>{`and ${rows.length - shown.length} more`}</a>
          </li>
        )}
      </ul>
    );
  };
  return level(roots, more);
};

const Node = ({ row }: { row: Row }) => {
  const { name, capacity, held, blocks } = row;
  const state = held === 0 ? 'free' : held >= capacity ? 'full' : 'some';
  return (
    <div class={`node ${state}`} data-name={name}>
      <a class="node-name" href={resourcePath(name)}>
        {name}
      </a>
      <Slots capacity={capacity} held={held} />
      <span class="amount">
        {capacity === 1 ? (held === 0 ? 'free' : 'held') : `${Math.max(0, capacity - held)} of ${capacity} free`}
      </span>
      {blocks.length > 0 && <span class="blocks">takes along {blocks.join(', ')}</span>}
    </div>
  );
};

const Slots = ({ capacity, held }: { capacity: number; held: number }) => {
  const cells = Math.min(capacity, MOST_SLOTS);
  const filled =
    capacity <= MOST_SLOTS ? Math.min(held, cells) : Math.ceil((Math.min(held, capacity) / capacity) * cells);
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
