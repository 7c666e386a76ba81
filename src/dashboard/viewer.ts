/**
 * Finds out who looks at a page, by the session's cookie; who has none is sent to sign in. A page counts as a read of
 * the tenant's.
 */
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../domain/errors.ts';
import { readSession } from '../engine/tenant/sessions.ts';
import { refuseForeignOrigin } from '../http/middleware/authenticate.ts';
import { adminStanding } from '../identity/admins.ts';
import { parseSession } from '../identity/credentials.ts';
import type { DashboardDeps, DashboardEnv } from './env.ts';

/** Where people sign in, and where administrators find tenants. */
export const SIGN_IN = '/dashboard/sign-in';
export const TENANTS = '/dashboard/tenants';

/** @throws HoldfastError forbidden, for a form of another site; unauthenticated, unavailable; LimitError */
export const viewer = ({ engine, reads, tenants, sessionCookie }: DashboardDeps) =>
  createMiddleware<DashboardEnv>(async (c, next) => {
    const credential = parseSession(getCookie(c, sessionCookie) ?? '');
    const user = credential && (await readSession(engine.redis, credential));
    if (credential === null || user === null) throw new HoldfastError('unauthenticated', 'Nobody is signed in.');
    c.set('credential', credential);
    const standing = tenants === null ? 'admin' : adminStanding(tenants.adminRule, user);
    c.set('viewer', { credential, user, standing });
    if (!['GET', 'HEAD'].includes(c.req.method)) refuseForeignOrigin(c);
    // An administrator whose own tenant is suspended can still see to that.
    if (standing !== 'admin' || !c.req.path.startsWith(TENANTS)) await reads.charge(credential);
    await next();
  });

/** Where the provider is asked again who somebody is, to come back to a page. */
export const startPath = (to: string): string => `/auth/start?${new URLSearchParams({ to })}`;

/** Where to sign in, to come back to what was asked for. */
export function signInPath(c: Context<DashboardEnv>): string {
  const { pathname, search } = new URL(c.req.url);
  const to = ['GET', 'HEAD'].includes(c.req.method) ? pathname + search : '/dashboard';
  return to === '/dashboard' ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ to })}`;
}
