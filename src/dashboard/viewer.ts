/**
 * Finds the person who looks at a page by the session cookie, and sends others to sign in. A page costs one read.
 */
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../domain/errors.ts';
import { actorNameOf } from '../engine/tenant/signIns.ts';
import { clientAddress } from '../http/clientAddress.ts';
import { isChange, refuseForeignOrigin } from '../http/sameOrigin.ts';
import { adminStanding } from '../identity/admins.ts';
import { parseSession } from '../identity/credentials.ts';
import { signedInUser } from '../operations/signedIn.ts';
import type { DashboardDeps, DashboardEnv } from './env.ts';

/** Where people sign in, and where administrators find tenants. */
export const SIGN_IN = '/dashboard/sign-in';
export const TENANTS = '/dashboard/tenants';

/** @throws HoldfastError forbidden for a form of another site; unauthenticated, unavailable; LimitError */
export const viewer = ({
  engine,
  reads,
  roleNow,
  adminRule,
  sessionCookie,
  trustedProxies,
}: Pick<DashboardDeps, 'engine' | 'reads' | 'roleNow' | 'adminRule' | 'sessionCookie' | 'trustedProxies'>) =>
  createMiddleware<DashboardEnv>(async (c, next) => {
    const session = parseSession(getCookie(c, sessionCookie) ?? '');
    const user = session && (await signedInUser({ engine, roleNow }, session));
    if (session === null || user === null) throw new HoldfastError('unauthenticated', 'Nobody is signed in.');
    const address = clientAddress(c, trustedProxies);
    const credential = { ...session, address };
    c.set('credential', credential);
    const standing = adminStanding(adminRule, user);
    const actor = actorNameOf('person', user);
    c.set('viewer', { credential, user, standing, actor, address });
    if (isChange(c.req.method)) refuseForeignOrigin(c);
    // An administrator whose own tenant is suspended can still end that.
    if (standing !== 'admin' || !c.req.path.startsWith(TENANTS)) await reads.charge(credential, null);
    await next();
  });

/** The address that makes the provider identify a person again, and then leads back to a page. */
export const startPath = (to: string): string => `/auth/start?${new URLSearchParams({ to })}`;

/** The address of the sign-in page that leads back to the requested page. */
export function signInPath(c: Context<DashboardEnv>): string {
  const { pathname, search } = new URL(c.req.url);
  const to = isChange(c.req.method) ? '/dashboard' : pathname + search;
  return to === '/dashboard' ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ to })}`;
}
