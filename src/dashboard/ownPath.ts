/**
 * Keeps redirects after a sign-in within the dashboard.
 */

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
