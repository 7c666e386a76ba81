/**
 * Starts and ends the session of a browser (docs/specification.md#dashboard-and-sign-in). Redis keeps the session; the
 * browser has a cookie.
 */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { HoldfastError } from '../../domain/errors.ts';
import type { Credential } from '../../domain/tenants.ts';
import {
  actorNameOf,
  beginSignIn,
  endSignIn,
  type SessionUser,
  SIGN_IN_MS,
  signInLastsMs,
} from '../../engine/tenant/signIns.ts';
import { clientAddress } from '../../http/admission/clientAddress.ts';
import { cookieName, isBehindTls, makeSession, parseSession } from '../../identity/credentials.ts';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { cookieOptions, endPushes } from './device.ts';

export type SessionDeps = Pick<
  DashboardDeps,
  'engine' | 'trail' | 'publicUrl' | 'sessionCookie' | 'trustedProxies' | 'tenants'
>;

/** The name of the cookie that a browser has once the person has read which tenants they have joined. */
export const joinedReadCookie = (publicUrl: string | undefined) => cookieName(publicUrl, 'joined_read');

export interface NewSession {
  readonly tenant: string;
  readonly user: SessionUser;
  /** ms that it lasts; default SIGN_IN_MS */
  readonly lifetimeMs?: number;
  /** The page to go to. */
  readonly to: string;
}

/**
 * Starts a session, ends the browser's previous one and its pushes to others, and redirects to a page.
 * @throws HoldfastError unavailable
 */
export async function startSession(
  deps: SessionDeps & Pick<DashboardDeps, 'memberships'>,
  c: Context<DashboardEnv>,
  { tenant, user, lifetimeMs = SIGN_IN_MS, to }: NewSession,
): Promise<Response> {
  const { engine, memberships, publicUrl, sessionCookie } = deps;
  const session = makeSession(tenant);
  const credential = parseSession(session);
  if (credential === null) throw new TypeError('a session that was just made cannot be read');
  const before = parseSession(getCookie(c, sessionCookie) ?? '');
  await beginSignIn(engine, credential, user, lifetimeMs);
  await memberships.settle(user, tenant);
  await endPushes(deps, c, user.id);
  noteSignIn(deps, c, 'person.sign-in', tenant, user);
  if (before !== null) await end(deps, c, before);
  setCookie(c, sessionCookie, session, cookieOptions(publicUrl, lifetimeMs));
  deleteCookie(c, joinedReadCookie(publicUrl), { path: '/', secure: isBehindTls(publicUrl) });
  return c.redirect(to, 303);
}

/**
 * Ends the browser's session, if it has one, and all pushes to it.
 * @throws HoldfastError unavailable
 */
export async function signOut(deps: SessionDeps, c: Context<DashboardEnv>): Promise<void> {
  const { publicUrl, sessionCookie } = deps;
  const credential = parseSession(getCookie(c, sessionCookie) ?? '');
  if (credential !== null) await end(deps, c, credential);
  deleteCookie(c, sessionCookie, { path: '/', secure: isBehindTls(publicUrl) });
  await endPushes(deps, c, null);
}

async function end(deps: SessionDeps, c: Context<DashboardEnv>, session: Credential): Promise<void> {
  const user = await endSignIn(deps.engine, session);
  if (user !== null) noteSignIn(deps, c, 'person.sign-out', session.tenant, user);
}

/** Notes in the audit trail of a tenant that a session in it has begun or ended. */
function noteSignIn(
  { trail, trustedProxies }: SessionDeps,
  c: Context<DashboardEnv>,
  action: 'person.sign-in' | 'person.sign-out',
  tenant: string,
  user: SessionUser,
): void {
  const by = { actor: actorNameOf('person', user), address: clientAddress(c, trustedProxies) };
  trail?.noteBy(by, tenant, { action, details: {} });
}

/**
 * Moves a person to another tenant of theirs: their session there replaces the one here, and ends when that would have
 * ended (docs/specification.md#members).
 * @param page of the dashboard, to which it leads
 * @throws HoldfastError unknown if they are no member there; unauthenticated, unavailable
 */
export async function switchTenant(
  deps: DashboardDeps,
  c: Context<DashboardEnv>,
  to: string,
  page = '/dashboard',
): Promise<Response> {
  const { user, credential, joined } = c.var.viewer;
  const memberships = await deps.memberships.of(user);
  const there = memberships.find(({ tenant }) => tenant === to);
  if (there === undefined) throw new HoldfastError('unknown', 'You are no member of this tenant.');
  const lifetimeMs = await signInLastsMs(deps.engine, credential);
  if (lifetimeMs === 0) throw new HoldfastError('unauthenticated', 'The session has ended.');
  await deps.memberships.prefer(user, to);
  const others = joined.filter(({ tenant }) => tenant !== to);
  const { role, name: tenantName } = there;
  const here = { ...user, role, tenantName, joined: others, hasSeveral: memberships.length > 1 };
  return startSession(deps, c, { tenant: to, user: here, lifetimeMs, to: page });
}
