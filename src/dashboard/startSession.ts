/**
 * Starts and ends the session of a browser (docs/specification.md#dashboard-and-sign-in). Redis keeps the session; the
 * browser has a cookie.
 */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { beginSignIn, endSignIn, type SessionUser, SIGN_IN_MS } from '../engine/tenant/signIns.ts';
import { isBehindTls } from '../identity/cookies.ts';
import { makeSession, parseSession } from '../identity/credentials.ts';
import type { DashboardDeps, DashboardEnv } from './env.ts';

export type SessionDeps = Pick<DashboardDeps, 'engine' | 'publicUrl' | 'sessionCookie'>;

/** @param lifetimeMs ms that the browser keeps the cookie */
export const cookieOptions = (publicUrl: string | undefined, lifetimeMs: number): CookieOptions => ({
  path: '/',
  httpOnly: true,
  secure: isBehindTls(publicUrl),
  sameSite: 'Lax',
  maxAge: lifetimeMs / 1000,
});

export interface NewSession {
  readonly tenant: string;
  readonly user: SessionUser;
  /** ms that it lasts; default SIGN_IN_MS */
  readonly lifetimeMs?: number;
  /** The page to go to. */
  readonly to: string;
}

/**
 * Starts a session, ends the browser's previous one, and redirects to a page.
 * @throws HoldfastError unavailable
 */
export async function startSession(
  { engine, memberships, publicUrl, sessionCookie }: SessionDeps & Pick<DashboardDeps, 'memberships'>,
  c: Context<DashboardEnv>,
  { tenant, user, lifetimeMs = SIGN_IN_MS, to }: NewSession,
): Promise<Response> {
  const session = makeSession(tenant);
  const credential = parseSession(session);
  if (credential === null) throw new TypeError('a session that was just made cannot be read');
  const before = parseSession(getCookie(c, sessionCookie) ?? '');
  await beginSignIn(engine, credential, user, lifetimeMs);
  await memberships.settle(user, tenant);
  if (before !== null) await endSignIn(engine, before);
  setCookie(c, sessionCookie, session, cookieOptions(publicUrl, lifetimeMs));
  return c.redirect(to, 303);
}

/**
 * Ends the browser's session, if it has one.
 * @throws HoldfastError unavailable
 */
export async function signOut(
  { engine, publicUrl, sessionCookie }: SessionDeps,
  c: Context<DashboardEnv>,
): Promise<void> {
  const credential = parseSession(getCookie(c, sessionCookie) ?? '');
  if (credential !== null) await endSignIn(engine, credential);
  deleteCookie(c, sessionCookie, { path: '/', secure: isBehindTls(publicUrl) });
}
