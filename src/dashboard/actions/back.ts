/**
 * Where an action leads back to: the page that the person came from.
 */
import { ownPath } from '../ownPath.ts';

/** Returns the page of the dashboard that a form names, with a notice of what was done; else the first page. */
export function backTo(page: string | undefined, done: string): string {
  const url = new URL(ownPath(page), 'http://own');
  url.searchParams.set('done', done);
  return url.pathname + url.search;
}

/** The address of an action for a resource, which leads back to a page. */
export const actionPath = (action: 'reserve' | 'extend', fields: Readonly<Record<string, string>>): string =>
  `/dashboard/${action}?${new URLSearchParams(fields)}`;
