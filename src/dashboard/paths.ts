/**
 * Addresses within the dashboard: where forms and sign-ins lead back to, and the origin that people see.
 */
import type { Context } from 'hono';
import type { DashboardDeps, DashboardEnv } from './env.ts';

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

/** Returns the page of the dashboard that a form names, with a notice of what was done; else the first page. */
export function backTo(page: string | undefined, done: string): string {
  const url = new URL(ownPath(page), 'http://own');
  url.searchParams.set('done', done);
  return url.pathname + url.search;
}

/** The address of an action for a resource, which leads back to a page. */
export const actionPath = (action: 'reserve' | 'extend', fields: Readonly<Record<string, string>>): string =>
  `/dashboard/${action}?${new URLSearchParams(fields)}`;

/** The origin of the service as the person who looks at a page sees it. */
export const originOf = ({ publicUrl }: Pick<DashboardDeps, 'publicUrl'>, c: Context<DashboardEnv>): string =>
  publicUrl ?? new URL(c.req.url).origin;
