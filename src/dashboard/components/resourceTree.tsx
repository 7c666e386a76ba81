/**
 * Registered resources as a table: each with its slots, what is free of them now, what it takes along, and its children
 * below it. A resource below a full ancestor is shown as not available.
 */
import { hash } from 'node:crypto';
import type { Row } from '../resource/registeredResources.ts';
import { CONDITION_WORDS, countTexts } from '../words/conditionWords.ts';
import { labelWords } from '../words/labels.ts';
import { number } from '../words/numbers.ts';

/** Children shown of a node, whose own page has them all; and rows of a page. */
const MAX_CHILDREN = 50;
const MAX_ROWS = 300;
/** Roots on one page. */
const ROOTS = 100;
/** Levels of the tree that are shown further right than the one before. */
export const MAX_INDENT = 4;
/** Blockers that a row names. */
const MAX_BLOCKS = 3;

export const resourcePath = (name: string) => `/dashboard/resources/one?${new URLSearchParams({ name })}`;
/** The form that registers a resource, or changes one that is registered. */
export const registerPath = (fields: Readonly<Record<string, string>>) =>
  `/dashboard/resources/register?${new URLSearchParams(fields)}`;

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
  /** True if the person may change definitions. */
  readonly mayDefine?: boolean;
}

/** A row of the table: a resource, or the children of one that are left out. */
type Line =
  | { readonly row: Row; readonly depth: number }
  | { readonly parent: Row; readonly left: number; readonly depth: number };

/** The rows of a page, from the roots down. */
function linesOf(roots: readonly Row[], children: ResourceTreeProps['children']): Line[] {
  const lines: Line[] = [];
  let drawn = roots.length;
  const add = (row: Row, depth: number) => {
    lines.push({ row, depth });
    const rows = children.get(row.name) ?? [];
    const some = rows.slice(0, Math.min(MAX_CHILDREN, Math.max(0, MAX_ROWS - drawn)));
    drawn += some.length;
    for (const child of some) add(child, depth + 1);
    if (rows.length > some.length) lines.push({ parent: row, left: rows.length - some.length, depth: depth + 1 });
  };
  for (const root of roots) add(root, 0);
  return lines;
}

export const ResourceTree = ({ roots, children, page, link, mayDefine = false }: ResourceTreeProps) => {
  const pages = Math.max(1, Math.ceil(roots.length / ROOTS));
  const lines = linesOf(roots.slice((page - 1) * ROOTS, page * ROOTS), children);
  return (
    <>
      {lines.length > 0 && (
        <table class="defined" aria-label="Registered resources">
          <thead>
            <tr>
              <th scope="col">Resource</th>
              <th scope="col">Slots</th>
              <th scope="col">Now</th>
              <th scope="col">Takes along</th>
              {mayDefine && (
                <th scope="col">
                  <span class="out-of-sight">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {lines.map((line) =>
              'row' in line ? (
                <Node row={line.row} depth={line.depth} mayDefine={mayDefine} back={link(page)} />
              ) : (
                <More {...line} />
              ),
            )}
          </tbody>
        </table>
      )}
      {pages > 1 && (
        <nav class="pages" aria-label="Pages of resources">
          {page > 1 && <a href={link(page - 1)}>Previous</a>} Page {page} of {pages}{' '}
          {page < pages && <a href={link(page + 1)}>Next</a>}
        </nav>
      )}
    </>
  );
};

const indent = (depth: number) => `level-${Math.min(MAX_INDENT, depth)}`;

const More = ({ parent, left, depth }: { parent: Row; left: number; depth: number }) => (
  <tr>
    <td class={indent(depth)} colspan={5}>
      <a href={resourcePath(parent.name)}>
        and {number(left)} more<span class="out-of-sight"> below {parent.name}</span>
      </a>
    </td>
  </tr>
);

interface NodeProps {
  readonly row: Row;
  readonly depth: number;
  readonly mayDefine: boolean;
  readonly back: string;
}

const Node = ({ row, depth, mayDefine, back }: NodeProps) => {
  const { name, capacity, blocks } = row;
  const state = stateOf(row);
  const labels = labelWords(row.labels);
  const details = detailsOf(row);
  const others = blocks.length - MAX_BLOCKS;
  return (
    <tr class={`node ${state}`} data-name={name} id={`defined-${hash('sha256', name).slice(0, 16)}`}>
      <th scope="row" class={indent(depth)}>
        <a href={resourcePath(name)}>{name}</a>
        {labels.length > 0 && <span class="along">{labels.join(' · ')}</span>}
      </th>
      <td data-label="Slots">{capacity !== null && number(capacity)}</td>
      <td data-label="Now">
        {state !== 'group' && <span class={`state ${SHAPES[state]}`}>{textOf(row)}</span>}
        {state === 'group' && mayDefine && (
          <a
            class="button quiet"
            id={`add-${hash('sha256', name).slice(0, 16)}`}
            href={registerPath({ like: name, back })}
          >
            Add one here<span class="out-of-sight">, in {name}</span>
          </a>
        )}
        {details.length > 0 && <span class="along">{details.join(' · ')}</span>}
      </td>
      <td data-label="Takes along">
        {blocks.slice(0, MAX_BLOCKS).join(', ')}
        {others > 0 && ` and ${number(others)} more`}
      </td>
      {mayDefine && (
        <td class="end">
          <a
            class="button quiet"
            id={`change-${hash('sha256', name).slice(0, 16)}`}
            href={registerPath({ name, back })}
          >
            Change<span class="out-of-sight"> {name}</span>
          </a>
        </td>
      )}
    </tr>
  );
};

type State = 'group' | 'free' | 'some' | 'full' | 'shut' | 'out' | 'dirty';

const stateOf = ({ capacity, free, outOfService, dirty, fullAncestor, blockedBy }: Row): State => {
  if (capacity === null) return 'group';
  if (free === 0) return outOfService + dirty < capacity ? 'full' : outOfService > 0 ? 'out' : 'dirty';
  if (fullAncestor !== '' || blockedBy !== '') return 'shut';
  return free === capacity ? 'free' : 'some';
};

const textOf = (row: Row): string => {
  const { capacity, free } = row;
  const state = stateOf(row);
  if (capacity === null) return '';
  if (state === 'shut') return 'Not available';
  if (capacity > 1) return `${number(free)} of ${number(capacity)} free`;
  return state === 'out' || state === 'dirty' ? CONDITION_WORDS[state] : free === 1 ? 'Free' : 'In use';
};

/** Its second line: why nobody gets it, slots that are not ready, and how many wait. */
const detailsOf = (row: Row): string[] => {
  const { capacity, fullAncestor, blockedBy, waiting } = row;
  return [
    ...(fullAncestor === '' ? [] : [`${fullAncestor} has no free slot`]),
    ...(blockedBy === '' ? [] : [`${blockedBy} is not free`]),
    ...((capacity ?? 0) > 1 ? countTexts(row) : []),
    ...(waiting > 0 ? [`${number(waiting)} waiting`] : []),
  ];
};

/** State → its class as a shape. */
const SHAPES = { free: 'free', some: 'free', full: 'busy', shut: 'shut', out: 'out', dirty: 'dirty' } as const;
