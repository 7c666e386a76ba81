/**
 * The query of the Board, as its address has it: the view, filters, folded groups, and the page. So each can be kept
 * as a bookmark.
 */
import type { Context } from 'hono';
import type { DashboardEnv } from '../env.ts';
import { pageNumber, searched } from '../form.ts';

export const BOARD = '/dashboard';

/** Views of the same rows. `tv`: a wallboard. */
const VIEWS = ['timeline', 'table', 'grid', 'tv'] as const;
export type View = (typeof VIEWS)[number];

/** The time that the timeline shows: the hours around now, seven days from today, and the seven days after these. */
const SPANS = ['today', 'week', 'next'] as const;
export type Span = (typeof SPANS)[number];

/** The orders of the table: by name, by who waits longest, by the time of the oldest hold. */
const SORTS = ['name', 'waiting', 'since'] as const;
export type Sort = (typeof SORTS)[number];

/** Filters by status, and what people call them. */
export const STATUSES = [
  ['free', 'Free'],
  ['used', 'In use'],
  ['waiting', 'Waited for'],
  ['notready', 'Not ready'],
  ['look', 'Needs a look'],
  ['mine', 'Mine'],
  ['expiring', 'Ending soon'],
  ['noend', 'Held without an end'],
  ['unregistered', 'Not registered'],
] as const;
export type Status = (typeof STATUSES)[number][0];

export interface BoardQuery {
  readonly view: View;
  readonly span: Span;
  /** null: by groups, as other views are */
  readonly sort: Sort | null;
  /** Part of a name, label, holder or note; '' any */
  readonly q: string;
  /** Labels `<key>=<value>`. Of each key, a resource must have one. */
  readonly labels: readonly string[];
  readonly on: ReadonlySet<Status>;
  /** Groups whose rows are not shown, by their paths. */
  readonly folded: readonly string[];
  /** From 1. */
  readonly page: number;
  /** True if all rows of this page are selected. */
  readonly isSelected: boolean;
  /** The label `<key>=<value>` or status that was just turned on or off, whose menu stays open; '' none */
  readonly turned: string;
}

/** Limits of an address. */
const MAX_LABELS = 16;
const MAX_FOLDED = 50;

export function queryOf(search: URLSearchParams): BoardQuery {
  const view = search.get('view');
  const span = search.get('span');
  const sort = search.get('sort');
  return {
    view: VIEWS.find((one) => one === view) ?? 'timeline',
    span: SPANS.find((one) => one === span) ?? 'today',
    sort: (view === 'table' && SORTS.find((one) => one === sort)) || null,
    q: searched.parse(search.get('q') ?? undefined),
    labels: [...new Set(search.getAll('label'))].filter((label) => label.includes('=')).slice(0, MAX_LABELS),
    on: new Set(STATUSES.map(([name]) => name).filter((name) => search.has(name))),
    folded: [...new Set(search.getAll('fold'))].slice(0, MAX_FOLDED),
    page: pageNumber.parse(search.get('page') ?? 1),
    isSelected: search.get('select') === 'page',
    turned: search.get('turned') ?? '',
  };
}

export const readQuery = (c: Context<DashboardEnv>): BoardQuery => queryOf(new URL(c.req.url).searchParams);

/** The fields of an address, in order. */
export const fieldsOf = ({
  view,
  span,
  sort,
  q,
  labels,
  on,
  folded,
  page,
  isSelected,
}: BoardQuery): [string, string][] => [
  ...(view === 'timeline' ? [] : [field('view', view)]),
  ...(span === 'today' ? [] : [field('span', span)]),
  ...(sort === null ? [] : [field('sort', sort)]),
  ...(q === '' ? [] : [field('q', q)]),
  ...labels.map((label) => field('label', label)),
  ...[...on].map((name) => field(name, '1')),
  ...folded.map((group) => field('fold', group)),
  ...(page === 1 ? [] : [field('page', String(page))]),
  ...(isSelected ? [field('select', 'page')] : []),
];

const field = (name: string, value: string): [string, string] => [name, value];

/** @param changes from the first page on, if they do not say which page; all menus are closed but that of `turned` */
export function linkTo(query: BoardQuery, changes: Partial<BoardQuery> = {}, path = BOARD): string {
  const isSame = Object.keys(changes).length === 0;
  const next = { ...query, ...(isSame ? {} : { page: 1, isSelected: false }), ...changes };
  const turned = changes.turned === undefined ? [] : [field('turned', changes.turned)];
  const search = new URLSearchParams([...fieldsOf(next), ...turned]).toString();
  return search === '' ? path : `${path}?${search}`;
}

export const withStatus = ({ on }: BoardQuery, name: Status): ReadonlySet<Status> => {
  const next = new Set(on);
  if (!next.delete(name)) next.add(name);
  return next;
};

export const withLabel = ({ labels }: BoardQuery, label: string): readonly string[] =>
  labels.includes(label) ? labels.filter((one) => one !== label) : [...labels, label];

export const withFold = ({ folded }: BoardQuery, group: string): readonly string[] =>
  folded.includes(group) ? folded.filter((one) => one !== group) : [...folded, group];

export const isFiltered = ({ q, labels, on }: Pick<BoardQuery, 'q' | 'labels' | 'on'>): boolean =>
  q !== '' || labels.length > 0 || on.size > 0;

/** The key of a label `<key>=<value>`. */
export const keyOfLabel = (label: string): string => label.slice(0, label.indexOf('='));

/** A query that shows everything in the same view. */
export const unfiltered = (query: BoardQuery): BoardQuery => ({
  ...query,
  q: '',
  labels: [],
  on: new Set(),
  page: 1,
  isSelected: false,
});
