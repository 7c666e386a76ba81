/**
 * What the Board shows, as its address says it: filters, and the page. So a filter can be kept as a bookmark.
 */
import type { Context } from 'hono';
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/engine.ts';
import type { DashboardEnv } from '../env.ts';
import { searched } from '../form.ts';

export const BOARD = '/dashboard';

/** Filters that are on or off, and what people call them. */
export const SWITCHES = [
  ['free', 'Free only'],
  ['mine', 'Mine'],
  ['expiring', 'Expiring soon'],
  ['unregistered', 'Not registered'],
] as const;
export type Switch = (typeof SWITCHES)[number][0];

export interface BoardQuery {
  /** Part of a name or of a label; '' any */
  readonly q: string;
  /** Labels `<key>=<value>`. Of each key, a resource must have one. */
  readonly labels: readonly string[];
  readonly on: ReadonlySet<Switch>;
  /** Where the page begins (findRows.ts); '' for the first page */
  readonly after: string;
  /** Where the pages before it begin, the nearest last. */
  readonly before: readonly string[];
}

/** Limits of an address: labels, and characters of the pages before. */
const MAX_LABELS = 8;
const MAX_BEFORE_LENGTH = 1500;

export function readQuery(c: Context<DashboardEnv>): BoardQuery {
  const of = (name: string) => c.req.queries(name) ?? [];
  return {
    q: searched.parse(c.req.query('q')),
    labels: [...new Set(of('label'))].filter((label) => label.includes('=')).slice(0, MAX_LABELS),
    on: new Set(SWITCHES.map(([name]) => name).filter((name) => of(name).length > 0)),
    after: c.req.query('after') ?? '',
    before: of('before'),
  };
}

/** The fields of an address, in order. */
export const fieldsOf = ({ q, labels, on, after, before }: BoardQuery): [string, string][] => [
  ...(q === '' ? [] : [['q', q] satisfies [string, string]]),
  ...labels.map((label): [string, string] => ['label', label]),
  ...[...on].map((name): [string, string] => [name, '1']),
  ...(after === '' ? [] : [['after', after] satisfies [string, string]]),
  ...before.map((one): [string, string] => ['before', one]),
];

export function linkTo(query: BoardQuery): string {
  const search = new URLSearchParams(fieldsOf(query)).toString();
  return search === '' ? BOARD : `${BOARD}?${search}`;
}

/** The same filters, from the first page on. */
const anew = (query: BoardQuery): BoardQuery => ({ ...query, after: '', before: [] });

export function switched(query: BoardQuery, name: Switch): BoardQuery {
  const on = new Set(query.on);
  if (!on.delete(name)) on.add(name);
  return { ...anew(query), on };
}

export function labelled(query: BoardQuery, label: string): BoardQuery {
  const others = query.labels.filter((one) => one !== label);
  return { ...anew(query), labels: others.length < query.labels.length ? others : [...others, label] };
}

/** The next page. An address remembers only as many pages before as it has room for. */
export function nextPage(query: BoardQuery, after: string): BoardQuery {
  const before = [...query.before, query.after];
  while (before.join('').length > MAX_BEFORE_LENGTH) before.shift();
  return { ...query, after, before };
}

/** The page before; null if this is the first. */
export function previousPage(query: BoardQuery): BoardQuery | null {
  if (query.after === '') return null;
  return { ...query, after: query.before.at(-1) ?? '', before: query.before.slice(0, -1) };
}

export const isFiltered = ({ q, labels, on }: BoardQuery): boolean => q !== '' || labels.length > 0 || on.size > 0;

/** Maximum number of resources, or of held slots, that one page reads. */
export const MAX_LOOKED_AT = 20_000;

/** A request for rows of the Board. */
export interface BoardRequest {
  readonly engine: Engine;
  readonly credential: Credential;
  /** The requesters that the person is. */
  readonly requesters: readonly string[];
  readonly query: BoardQuery;
}
