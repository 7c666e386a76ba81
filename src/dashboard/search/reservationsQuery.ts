/**
 * What the page of reservations shows, as its address says: the search, the filters, the order and the pages of both
 * lists. So each view can be linked to.
 */
import { z } from 'zod';
import type { ActiveReservation } from '../../contract/reservations.ts';
import { PATH_DELIMITER } from '../../domain/names.ts';
import { pageNumber, searched } from '../form.ts';

export const AT = '/dashboard/reservations';
/** A reservation that ends within this time is about to expire, in ms. */
const SOON_MS = 600_000;

export const SORTS = ['created', 'resource', 'requester', 'ends'] as const;
export type Sort = (typeof SORTS)[number];

export const Query = z.object({
  q: searched,
  type: searched,
  key: searched,
  requester: searched,
  /** `<key>=<value>`, of the resource. */
  label: searched,
  /** `none`: without an end; `soon`: about to expire */
  end: z.enum(['', 'none', 'soon']).catch(''),
  sort: z.enum(SORTS).catch('created'),
  order: z.enum(['', 'asc', 'desc']).catch(''),
  page: pageNumber,
  /** The page of those who wait. */
  waiting: pageNumber,
  /** `page`: all rows of this page are selected. */
  select: z.enum(['', 'page']).catch(''),
});
export type Query = z.infer<typeof Query>;

const FILTERS = ['type', 'key', 'requester', 'label', 'end'] as const;

/** Whether a query leaves something out, by more than its search text. */
export const hasFilter = (query: Query): boolean => FILTERS.some((name) => query[name] !== '');
export const isNarrowed = (query: Query): boolean => query.q !== '' || hasFilter(query);

export const orderOf = ({ sort, order }: Pick<Query, 'sort' | 'order'>): 'asc' | 'desc' => order || usualOrder(sort);
export const usualOrder = (sort: Sort): 'asc' | 'desc' => (sort === 'created' ? 'desc' : 'asc');

/**
 * Writes the address of a view. Fields that have their usual value are left out.
 * @param path of the page, or of a form of it
 */
export function addressOf(query: Query, changes: Partial<Query> = {}, path = AT): string {
  const usual = Query.parse({});
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, ...changes }))
    if (value !== Object.entries(usual).find(([one]) => one === name)?.[1]) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given}`;
}

/**
 * Returns a function that says whether a reservation is looked for.
 * @param labelled the names of the resources that have the label of the query; null: it has none
 */
export function wantedBy(
  { q, type, key, requester, end }: Query,
  labelled: ReadonlySet<string> | null,
  nowMs: number,
): (one: ActiveReservation) => boolean {
  const text = q.toLowerCase();
  return (one) => {
    if (type !== '' && one.resourceType !== type) return false;
    if (key !== '' && one.apiKeyLabel !== key) return false;
    if (requester !== '' && one.requester !== requester) return false;
    if (end === 'none' && one.expiresAt !== null) return false;
    if (end === 'soon' && (one.expiresAt === null || Date.parse(one.expiresAt) > nowMs + SOON_MS)) return false;
    if (labelled !== null && !namesOf(one.resource).some((name) => labelled.has(name))) return false;
    return text === '' || `${one.resource}\n${one.requester}\n${one.note ?? ''}`.toLowerCase().includes(text);
  };
}

/** The registered names that a reserved name may stand for: itself, the end of a path, and the pool of a slot. */
function namesOf(resource: string): string[] {
  const name = resource.slice(resource.lastIndexOf(PATH_DELIMITER) + 1);
  return [name, name.replace(/_\d+$/, '')];
}

/** Compares two reservations by the order of a query. Those without an end come last; equal ones, the newest first. */
export function comparing(
  query: Pick<Query, 'sort' | 'order'>,
): (a: ActiveReservation, b: ActiveReservation) => number {
  const sign = orderOf(query) === 'asc' ? 1 : -1;
  const newest = (a: ActiveReservation, b: ActiveReservation) => b.fencingToken - a.fencingToken;
  switch (query.sort) {
    case 'created':
      return (a, b) => sign * (a.fencingToken - b.fencingToken);
    case 'ends':
      return (a, b) =>
        Number(a.expiresAt === null) - Number(b.expiresAt === null) ||
        sign * compareTexts(a.expiresAt ?? '', b.expiresAt ?? '') ||
        newest(a, b);
    default: {
      const { sort } = query;
      return (a, b) => sign * compareTexts(a[sort], b[sort]) || newest(a, b);
    }
  }
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
