/**
 * Addresses within the dashboard: where forms and sign-ins lead back to, and the origin that people see.
 */
import type { Context } from 'hono';
import type { DashboardDeps, DashboardEnv } from './env.ts';

/** The page with the label of a resource. */
export const LABEL = '/dashboard/resources/one/qr';
export const labelPath = (name: string): string => `${LABEL}?${new URLSearchParams({ name })}`;

/** The history, by the whole name of a resource or a requester. */
export const ACTIVITY = '/dashboard/activity';
export const historyPath = (of: { resource: string } | { requester: string }): string =>
  `${ACTIVITY}?${new URLSearchParams(Object.entries(of).map(([name, value]): [string, string] => [name, `"${value}"`]))}`;

/** Who changed what. */
export const CHANGES = '/dashboard/activity/changes';

/** The page on which a person chooses what they are told. */
export const MY_NOTICES = '/dashboard/mine/notices';

/** The page that reads codes with the camera. */
export const SCAN = '/dashboard/scan';

/**
 * Returns an address if it leads to a page of the dashboard, as a browser would understand it; else `/dashboard`.
 */
export function ownPath(to: string | undefined): string {
  // The link of an invitation.
  if (to !== undefined && /^\/join\/[0-9a-f]{40}$/.test(to)) return to;
  if (to === undefined || to.length > 1000 || !/^\/dashboard(?:[/?]|$)[\x21-\x5b\x5d-\x7e]*$/.test(to))
    return '/dashboard';
  const { pathname, search } = new URL(to, 'http://own');
  return /^\/dashboard(?:\/|$)/.test(pathname) && !pathname.includes('//') ? pathname + search : '/dashboard';
}

/** The action that was done, for the notice of the page that follows. */
export interface Done {
  readonly done: string;
  /** The resource that it was done to. */
  readonly what?: string | undefined;
  /** For whom it is booked. */
  readonly whom?: string | undefined;
  /** When its booking begins, in ISO 8601. */
  readonly start?: string | undefined;
  /** When its reservation or booking ends, in ISO 8601; null: never */
  readonly until?: string | null | undefined;
  /** How many wait for it, or how many it was done to. */
  readonly count?: string | undefined;
  /** The number of slots before. */
  readonly was?: string | undefined;
}

/** Returns the page of the dashboard that a form names, with a notice of what was done; else the first page. */
export function backTo(page: string | undefined, done: Done): string {
  const url = new URL(ownPath(page), 'http://own');
  for (const name of ['done', 'what', 'whom', 'start', 'until', 'count', 'was'] as const) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(done)) if (value) url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** The address of an action for a resource, which leads back to a page. */
export const actionPath = (
  action: 'reserve' | 'extend' | 'take-away' | 'condition/out' | 'condition/broken',
  { back, ...fields }: Readonly<Record<string, string>>,
): string => {
  // Without another page, actions lead back to the Board.
  const search = new URLSearchParams(back === undefined || back === '/dashboard' ? fields : { ...fields, back });
  return `/dashboard/${action}${search.size === 0 ? '' : `?${search}`}`;
};

/** The address of the form that takes several things together. Empty names are fields to fill. */
export const togetherPath = (names: readonly string[], back: string): string =>
  `/dashboard/reserve?${new URLSearchParams([...names.map((name): [string, string] => ['resource', name]), ['back', back]])}`;

/** The origin of the service as the person who looks at a page sees it. */
export const originOf = ({ publicUrl }: Pick<DashboardDeps, 'publicUrl'>, c: Context<DashboardEnv>): string =>
  publicUrl ?? new URL(c.req.url).origin;
